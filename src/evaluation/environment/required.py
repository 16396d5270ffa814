# What a distribution requires, for the programs that run in an environment.
import re

try:
    import importlib.metadata as metadata
except ImportError:
    import importlib_metadata as metadata


def required_by(name):
    """A distribution and those that it requires, by name, as far as they are installed."""
    known, names = {}, [name]
    while names:
        name = names.pop()
        if name in known:
            continue
        try:
            known[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        names += [re.match(r"[A-Za-z0-9._-]+", line).group() for line in known[name].requires or []
                  if "extra ==" not in line]
    return known


