"""The common functions of the peers: they read columns of a run directory, compute distances, and print figures."""

import json
import os
from pathlib import Path

# The peers run threads over users or files, so BLAS threads would only compete. The variable must be set
# before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

# The radius of the sphere on which Nightjar measures distances, in km.
RADIUS = 6371.0088
Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.integer]


def tell(seconds: float, **figures: object) -> None:
    """Prints a peer's figures as one line of JSON."""
    print(json.dumps({"seconds": seconds, **figures}))


def column(directory: Path, name: str) -> npt.NDArray:
    """Reads a column of a run directory."""
    return np.load(directory / f"{name}.npy")


def unit_vectors(latitude: Floats, longitude: Floats) -> Floats:
    """Returns the unit vectors of positions in degrees, n x 3."""
    latitude, longitude = np.radians(latitude), np.radians(longitude)
    return np.stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
    )


def haversine(latitude: Floats, longitude: Floats, other_latitude: Floats, other_longitude: Floats) -> Floats:
    """Returns the distances in kilometers between positions in degrees."""
    latitude, longitude, other_latitude, other_longitude = map(
        np.radians, (latitude, longitude, other_latitude, other_longitude)
    )
    half = np.sin((other_latitude - latitude) / 2) ** 2
    half += np.cos(latitude) * np.cos(other_latitude) * np.sin((other_longitude - longitude) / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(half))


def row_numbers(ids: object) -> Rows:
    """Returns the row numbers of ids from `nightjar synthesize`, such as u0000000, in a polars series of texts."""
    return ids.str.slice(1).cast(int).to_numpy()
