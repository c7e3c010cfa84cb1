"""The simulated app of .ci/year."""

import datetime
import math
import random

UTC = datetime.timezone.utc
FIELDS = ["Art", "Education", "Energy", "Finance", "Food", "Health", "Law", "Media", "Retail", "Software", "Sport", "Travel"]
CITIES = [(52.52, 13.40), (53.55, 9.99), (48.14, 11.58), (50.94, 6.96), (50.11, 8.68)]


class App:
    """The people and swipes of the app, and their exports."""

    def __init__(self, seed, people, days):
        self.random = random.Random(seed)
        self.now = datetime.datetime(2026, 1, 1, tzinfo=UTC)
        self.start, self.days = self.now, days
        self.people, self.swipes, self.count = {}, [], 0
        self.target = people
        for _ in range(int(people * 0.8)):
            self.join(self.now - datetime.timedelta(days=self.random.randint(1, 300)))
        self.swipe(people * 10, self.now - datetime.timedelta(days=60), 60)

    def join(self, at):
        self.count += 1
        lat, lon = self.random.choice(CITIES)
        self.people[f"p{self.count:06d}"] = {
            "field": self.random.choice(FIELDS), "years": str(self.random.randint(0, 40)), "joined": at, "changed": at,
            "lat": lat + self.random.gauss(0, 0.2), "lon": lon + self.random.gauss(0, 0.3), "gone": False}

    def swipe(self, count, start, days):
        ids = list(self.people)
        for _ in range(count):
            a, b = self.random.choice(ids), self.random.choice(ids)
            one, other = self.people[a], self.people[b]
            taste = 0.5 if one["field"] == other["field"] else 0.0
            near = math.exp(-abs(one["lat"] - other["lat"]) - abs(one["lon"] - other["lon"]))
            at = start + datetime.timedelta(seconds=self.random.randrange(days * 86400))
            at = max(at, one["joined"], other["joined"])
            if a != b:
                self.swipes.append((a, b, "right" if self.random.random() < 0.15 + taste + 0.3 * near else "left", at))

    def times(self, share):
        """The number of times that something happens today, as a `share` of the target. Fractions are rounded at random, so that
        the mean is right for a small app too."""
        return int(share * self.target + self.random.random())

    def live_one_day(self):
        morning, self.now = self.now, self.now + datetime.timedelta(days=1)
        season = 1 + 0.5 * math.sin(2 * math.pi * self.now.timetuple().tm_yday / 365 - 1.5)
        # The people who leave are replaced, and the app grows by a fifth of the target.
        for _ in range(self.times(season * 0.2 / self.days + 0.0003)):
            self.join(morning + datetime.timedelta(seconds=self.random.randrange(86400)))
        for _ in range(self.times(season * 0.0003)):
            self.people.pop(self.random.choice(list(self.people)))
        for person in self.random.sample(list(self.people.values()), self.times(0.005)):
            person["lat"] += self.random.gauss(0, 0.05)
            person["changed"] = morning + datetime.timedelta(seconds=self.random.randrange(86400))
        for person in self.random.sample(list(self.people.values()), self.times(0.0002)):
            person["gone"] = not person["gone"]
            person["changed"] = morning + datetime.timedelta(seconds=self.random.randrange(86400))
        self.swipe(self.times(season * 0.05), morning, 1)

    def export(self, folder):
        rows = ["id,field,lat,lon,years,gone,joined,changed\n"]
        for id, p in self.people.items():
            rows.append(f"{id},{p['field']},{p['lat']:.5f},{p['lon']:.5f},{p['years']},{str(p['gone']).lower()},"
                        f"{p['joined']:%Y-%m-%dT%H:%M:%SZ},{p['changed']:%Y-%m-%dT%H:%M:%SZ}\n")
        (folder / "people.csv").write_text("".join(rows))
        swipes = ["from,to,answer,at\n"] + [f"{a},{b},{way},{int(at.timestamp())}000\n" for a, b, way, at in self.swipes]
        (folder / "swipes.csv").write_text("".join(swipes))
        (folder / "_SUCCESS").write_text("")
