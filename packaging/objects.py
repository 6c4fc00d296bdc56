#!/usr/bin/env python3
"""Checks the Kubernetes objects of packaging/kustomize: `kubectl kustomize packaging/kustomize | packaging/objects.py`. Prints what is
wrong, and exits with status 1: a password that is not in the secret, a probe that is missing or asks for something else, a container with
more rights than it needs, a deployment that a drained node may stop, a port that devices must not reach."""
import sys

import yaml

DEPLOYMENTS = {"sotto-gateways", "sotto-publishers"}
PROBES = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
SECRET = {"name": "sotto-journal", "key": "url"}
USER = 999  # of packaging/Dockerfile
RIGHTS = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}


def within(part, whole):
    return bool(part) and part.items() <= whole.items()


def container_faults(container):
    journal = [entry for entry in container.get("env", []) if entry["name"] == "SOTTOD_JOURNAL"]
    if [entry.get("valueFrom", {}).get("secretKeyRef") for entry in journal] != [SECRET]:
        yield "SOTTOD_JOURNAL is not from the secret sotto-journal, key url"
    if container.get("ports") != [{"name": "public", "containerPort": 8787}]:
        yield "other ports than 8787"
    for probe, path in PROBES.items():
        if container.get(probe, {}).get("httpGet") != {"path": path, "port": "public"}:
            yield f"no {probe} on {path}"
    if not within(RIGHTS, container.get("securityContext", {})):
        yield f"rights other than {RIGHTS}"


def deployment_faults(deployment, objects):
    spec = deployment["spec"]
    pod, labels = spec["template"]["spec"], spec["template"]["metadata"]["labels"]
    user = {"runAsNonRoot": True, "runAsUser": USER, "runAsGroup": USER}
    if not within(user, pod.get("securityContext", {})):
        yield f"a user other than {user}"
    if pod.get("automountServiceAccountToken") is not False:
        yield "a token of the cluster"
    if len(pod["containers"]) != 1:
        yield "not one container"
    for container in pod["containers"]:
        yield from container_faults(container)
    if not within(spec["selector"]["matchLabels"], labels):
        yield "its selector is not of its pods"
    kept = [budget["spec"].get("minAvailable") for budget in objects
            if budget["kind"] == "PodDisruptionBudget" and within(budget["spec"]["selector"]["matchLabels"], labels)]
    # With as many as there are, no node could be drained.
    if len(kept) != 1 or kept[0] not in range(1, spec["replicas"]):
        yield f"disruption budgets {kept} for {spec['replicas']} replicas"
    for service in objects:
        if service["kind"] == "Service" and within(service["spec"]["selector"], labels) and labels["part"] != "gateways":
            yield f"the service {service['metadata']['name']} reaches it"


def faults(objects):
    deployments = {entry["metadata"]["name"]: entry for entry in objects if entry["kind"] == "Deployment"}
    if set(deployments) != DEPLOYMENTS:
        yield f"deployments {sorted(deployments)}, not {sorted(DEPLOYMENTS)}"
    for name, deployment in deployments.items():
        for fault in deployment_faults(deployment, objects):
            yield f"{name}: {fault}"
    ports = [service["spec"]["ports"] for service in objects if service["kind"] == "Service"]
    if ports != [[{"name": "public", "port": 80, "targetPort": "public"}]]:
        yield f"services with the ports {ports}"


def main():
    found = list(faults([entry for entry in yaml.safe_load_all(sys.stdin) if entry]))
    for fault in found:
        print(f"objects: {fault}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
