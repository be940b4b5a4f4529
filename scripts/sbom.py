#!/usr/bin/env python3
"""Writes the software bill of materials of a build as CycloneDX JSON: name, version and license of each Debian source
package whose libraries the program, the library and the plugins link, or whose headers CMake found.

  scripts/sbom.py [BUILD FOLDER, default build/release] > hexapla.cdx.json

Other tools read the locks of package managers or whole systems, not what one program links.
"""
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPDX = {"Expat": "MIT",
        "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause", "BSD-3-Clauses": "BSD-3-Clause", "BSD-3-google": "BSD-3-Clause",
        **{name: name for name in ("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "MIT", "Zlib")}}
# Sources whose file "copyright" is prose.
PROSE = {"gcc": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later", "libzip": "BSD-3-Clause", "openmpi": "BSD-3-Clause"}
BUILT = ("hexapla", "libhexapla.so", "hexapla_mpi.so", "hexapla_opencl.so")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked(file):
    """The paths of the shared libraries that `file` itself names."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", file))
    return {path for name, path in re.findall(r"(\S+) => (/\S+)", output_of("ldd", file)) if name in needed}


def found_by_cmake(build):
    """The folders of the packages that CMake found, of which some are headers alone."""
    folders = r"^(?!GTest)\w+(?<!INCLUDE)(?<!HEADER)_DIR:PATH=(/usr/.*)$"
    return set(re.findall(folders, (build / "CMakeCache.txt").read_text(), re.M))


def package_of(path):
    for spelling in (str(pathlib.Path(path).resolve()), path):  # of a merged /usr, dpkg knows one
        known = subprocess.run(["dpkg", "-S", spelling], capture_output=True, text=True)
        if known.returncode == 0:
            return known.stdout.split(": ")[0].split(",")[0]
    sys.exit(f"error: {path} is of no Debian package, so its version and license are not known")


def license_of(package, source):
    file = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    said = re.search(r"^Files: *\*.*?^License: *(\S[^\n]*)", file.read_text(errors="replace"), re.M | re.S)
    if not said and (plain := PROSE.get(re.sub(r"-\d+$", "", source))):
        return {"expression": plain}
    name = said.group(1).strip() if said else f"see {file}"
    return {"license": {"id": SPDX[name]} if name in SPDX else {"name": name}}


def component(package):
    form = "${source:Package}\t${source:Version}\t${Version}\t${Architecture}\t${Package}"
    source, version, binary_version, architecture, binary = output_of("dpkg-query", "-W", "-f", form, package).split("\t")
    purl = f"pkg:deb/debian/{binary}@{urllib.parse.quote(binary_version, safe=':~')}?arch={architecture}"
    return {"type": "library", "bom-ref": purl, "name": source, "version": version, "licenses": [license_of(binary, source)], "purl": purl}


def bill(build):
    if not (files := [build / name for name in BUILT if (build / name).exists()]):
        sys.exit(f"error: {build} has none of {', '.join(BUILT)}: build hexapla_program first")
    paths = set().union(*map(linked, files)) | found_by_cmake(build)
    by_source = {}
    found = map(component, {package_of(path) for path in paths})
    for one in sorted(found, key=lambda c: (c["name"], "-dev@" in c["purl"], c["purl"])):  # what is linked before its headers
        by_source.setdefault(one["name"], one)
    parts = list(by_source.values())
    version = re.search(r"\(hexapla VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    own = {"type": "application", "bom-ref": "hexapla", "name": "hexapla", "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}
    serial = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(parts))}"
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "serialNumber": serial,
            "metadata": {"component": own}, "components": parts, "dependencies": [{"ref": "hexapla", "dependsOn": [p["bom-ref"] for p in parts]}]}


if __name__ == "__main__":
    print(json.dumps(bill(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build/release"), indent=2))
