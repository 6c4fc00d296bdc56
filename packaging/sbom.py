#!/usr/bin/env python3
"""sbom.py TARBALL OUT: a software bill of materials (SPDX 2.3, JSON) of a tarball of dist.sh: each file with its SHA-256,
uPlot in the dashboard, the libraries that programs link, as packaging/debian/control names them, and the C library in browser
modules. The same tarball gives the same bytes."""

import hashlib
import json
import re
import sys
import tarfile
import time

LINKED = {"libcurl4-openssl-dev": "libcurl", "libjansson-dev": "jansson", "libmicrohttpd-dev": "libmicrohttpd",
          "libpq-dev": "libpq", "libsqlite3-dev": "SQLite", "zlib1g-dev": "zlib"}


def package(name, reference, version, **more):
    return {"SPDXID": reference, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", "filesAnalyzed": False, **more}


def debian(word, name):
    return package(name, f"SPDXRef-{word}", "NOASSERTION", licenseDeclared="NOASSERTION", externalRefs=[
        {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{word}"}])


def document(path):
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    files, made_s = [], 0
    with tarfile.open(path) as tar:
        for member in tar:
            made_s = max(made_s, member.mtime)
            if not member.isfile():
                continue
            content = tar.extractfile(member).read()
            name = member.name.split("/", 1)[1]
            if name == "packaging/debian/control":
                needs = [word for word in LINKED if re.search(rf"^ {word}[ ,]", content.decode(), re.M)]
            if name == "web/CMakeLists.txt":
                plot = re.search(r" uplot ([0-9.]+) ([0-9a-f]{64})", content.decode())
            if name == "include/sotto/core.h":
                version = re.search(r'SOTTO_VERSION "([^"]+)"', content.decode())[1]
            files.append({"SPDXID": f"SPDXRef-File-{len(files)}", "fileName": f"./{name}", "licenseConcluded": "NOASSERTION",
                          "copyrightText": "NOASSERTION", "checksums": [
                              {"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                              {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}]})
    # Section 7.9 of SPDX 2.3: required of a package that contains files.
    code = hashlib.sha1("".join(sorted(file["checksums"][0]["checksumValue"] for file in files)).encode()).hexdigest()
    packages = [package("sotto", "SPDXRef-sotto", version, licenseDeclared="Apache-2.0", filesAnalyzed=True,
                        packageVerificationCode={"packageVerificationCodeValue": code},
                        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
    packages += [*(debian(word, LINKED[word]) for word in needs), debian("wasi-libc", "wasi-libc")]
    packages.append(package("uPlot", "SPDXRef-uplot", plot[1], licenseDeclared="MIT",
                            checksums=[{"algorithm": "SHA256", "checksumValue": plot[2]}],
                            externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:npm/uplot@{plot[1]}"}]))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-sotto")]
    relations += [("SPDXRef-sotto", "CONTAINS", file["SPDXID"]) for file in files]
    relations += [("SPDXRef-sotto", "DYNAMIC_LINK", f"SPDXRef-{word}") for word in needs]
    relations += [("SPDXRef-sotto", "STATIC_LINK", "SPDXRef-wasi-libc"), ("SPDXRef-sotto", "CONTAINS", "SPDXRef-uplot")]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"sotto-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/sotto-{version}-{digest}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(made_s)),
                             "creators": ["Tool: packaging/sbom.py"]},
            "packages": packages, "files": files,
            "relationships": [{"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}
                              for of, kind, to in relations]}


with open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump(document(sys.argv[1]), out, indent=1)
    out.write("\n")
