"""Opens a page in headless Chromium as readers do, and prints the problems that it finds as JSON.

Usage: inspect_page.py CHROMIUM PAGE DIRECTORY [--axe SCRIPT] [--without-fonts PATTERN]. Writes pictures to DIRECTORY and the
problems to standard output. Checks accessibility with the axe script. Hides the fonts whose files match PATTERN. The script
uses the DevTools protocol over two pipes, so it needs only Python.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

VIEWS = {
    "light": {"width": 1200, "scheme": "light", "mobile": False},
    "dark": {"width": 1200, "scheme": "dark", "mobile": False},
    "phone": {"width": 360, "scheme": "light", "mobile": True},
    "phone-dark": {"width": 360, "scheme": "dark", "mobile": True},
}

FIND = r"""
(() => {
  const findings = [], width = document.documentElement.clientWidth;
  const name = (e) => e.tagName.toLowerCase() + " '" + (e.textContent || "").trim().slice(0, 40) + "'";
  const hidden = (e) => e.closest(".skip, .stacks thead") || !e.checkVisibility();
  document.querySelectorAll("details").forEach((e) => { e.open = true; });
  if (document.documentElement.scrollWidth > width)
    findings.push("overflow: the page is " + document.documentElement.scrollWidth + " wide, the window " + width);
  for (const e of document.body.querySelectorAll("*")) {
    if (hidden(e)) continue;
    const box = e.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) findings.push("overflow: " + name(e));
  }
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.checkVisibility()) continue;
    const frame = svg.getBoundingClientRect();
    const shapes = [...svg.querySelectorAll("path, rect, circle, line")].filter((e) => {
      const box = e.getBoundingClientRect();
      return (box.width > 0 || box.height > 0) && getComputedStyle(e).visibility === "visible";
    });
    const texts = [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim());
    if (shapes.length < 2 || texts.length < 2 || frame.width < 50 || frame.height < 30)
      findings.push("empty chart: " + svg.querySelector("title").textContent);
    for (const e of texts) {
      const box = e.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
        findings.push("overflow in a chart: " + name(e));
    }
    if (svg.getAttribute("role") !== "img" || !svg.querySelector("title").textContent || !svg.querySelector("desc").textContent)
      findings.push("a chart without a text alternative");
  }
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const over = (top, below) => {
    const alpha = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha));
  };
  const behind = (e) => {
    const layers = [];
    for (let a = e; a; a = a.parentElement) {
      const color = parse(getComputedStyle(a).backgroundColor);
      if (color.length > 3 && color[3] === 0) continue;
      layers.push(color);
      if (color.length === 3 || color[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let lowest = 21;
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || hidden(e) || ["TITLE", "DESC"].includes(e.tagName.toUpperCase())) continue;
    const style = getComputedStyle(e), back = behind(e);
    const ink = over(parse(e.closest("svg") ? style.fill : style.color), back);
    const [high, low] = [luminance(ink), luminance(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    lowest = Math.min(lowest, ratio);
    if (ratio < 4.5) findings.push("contrast " + ratio.toFixed(2) + ": " + name(e));
  }
  const levels = [...document.querySelectorAll("h1, h2, h3")].map((e) => Number(e.tagName[1]));
  if (levels.filter((l) => l === 1).length !== 1 || levels.some((l, i) => i && l > levels[i - 1] + 1))
    findings.push("headings out of order");
  for (const e of document.querySelectorAll("time"))
    if (e.getClientRects().length > 1) findings.push("a broken time: " + name(e));
  for (const table of document.querySelectorAll("table"))
    if (!table.caption || !table.caption.textContent.trim()) findings.push("a table without a caption");
  if (document.scripts.length) findings.push("a script");
  if (document.querySelector("iframe, object, embed, link:not([rel=alternate]), img, [style], [onload], [onclick]")) findings.push("something loaded or styled from outside");
  return { findings: [...new Set(findings)], charts: [...document.querySelectorAll("svg")].filter((e) => e.checkVisibility()).length,
    lowestContrast: lowest, background: getComputedStyle(document.body).backgroundColor, height: document.documentElement.scrollHeight };
})()
"""

# The run includes the rules that axe calls best practices. Color contrast is measured above for each text,
# also in charts.
AXE = """
axe.run(document).then((results) => results.violations.flatMap((rule) =>
  rule.nodes.map((node) => "axe " + rule.id + ": " + rule.help + ": " + node.html.slice(0, 120))))
"""


class Browser:
    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def streams():
            # Copies both descriptors first, because one of them may have the number 3 or 4, which a `dup2`
            # call replaces.
            commands, answers = os.dup(to_browser), os.dup(from_browser)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}"],
            close_fds=False, preexec_fn=streams, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.inp, 1 << 16)
            if not more:
                raise SystemExit("the browser went away")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def open(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log"):
            self.call(domain + ".enable")


def evaluate(browser, expression):
    result = browser.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in result:
        raise SystemExit(json.dumps(result["exceptionDetails"]))
    return result["result"].get("value")


def inspect(browser, address, view, directory, name, axe):
    browser.call("Emulation.setDeviceMetricsOverride", width=view["width"], height=900, deviceScaleFactor=1, mobile=view["mobile"])
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": view["scheme"]}])
    browser.events.clear()
    browser.call("Page.navigate", url=address)
    browser.wait("Page.loadEventFired")
    first = browser.call("Page.captureScreenshot", format="png")
    (directory / f"{name}-first.png").write_bytes(base64.b64decode(first["data"]))
    size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
    picture = browser.call(
        "Page.captureScreenshot", format="png", captureBeyondViewport=True,
        clip={"x": 0, "y": 0, "width": view["width"], "height": min(size["height"], 16000), "scale": 1})
    (directory / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))
    found = evaluate(browser, FIND)
    if axe:
        evaluate(browser, Path(axe).read_text() + ";null")
        found["findings"] += evaluate(browser, AXE)
    asked = [event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    found["findings"] += ["a request for " + url for url in asked if url != address]
    found["findings"] += [
        "the browser says: " + event["params"]["entry"]["text"] for event in browser.events if event.get("method") == "Log.entryAdded"]
    return found


def reject_fonts(pattern, profile):
    configuration = Path(profile) / "fonts.conf"
    configuration.write_text(
        "<fontconfig><include>/etc/fonts/fonts.conf</include>"
        f"<selectfont><rejectfont><glob>{pattern}</glob></rejectfont></selectfont></fontconfig>\n")
    os.environ["FONTCONFIG_FILE"] = str(configuration)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("page", type=Path)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--axe")
    parser.add_argument("--without-fonts")
    options = parser.parse_args()
    page, directory = options.page.resolve(), options.directory
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        if options.without_fonts:
            reject_fonts(options.without_fonts, profile)
        browser = Browser(options.program, profile)
        try:
            browser.open()
            views = {name: inspect(browser, page.as_uri(), view, directory, name, options.axe) for name, view in VIEWS.items()}
            browser.call("Emulation.clearDeviceMetricsOverride")
            paper = browser.call("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)
            data = base64.b64decode(paper["data"])
            (directory / "print.pdf").write_bytes(data)
            views["print"] = {"findings": [] if data.startswith(b"%PDF") else ["no PDF"], "pages": data.count(b"/Type /Page\n")}
        finally:
            browser.process.kill()
            browser.process.wait()
    json.dump(views, sys.stdout)


main()
