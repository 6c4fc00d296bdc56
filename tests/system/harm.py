"""Shared by the tests of the fallback: reports that show harm, and what a service says about it."""
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "protocol"))
import second_client  # noqa: E402

SPEC = {"measure": 0.5, "epoch_lag_max": 1}
LEARNING = {"epoch": 100, "epoch_seconds_min": 1, "epoch_reports_min": 20, "fallback": 1}


def bad_news(service, experiment, count):
    """Reports of people whose measure rounds all count against the policy; their nonces decide the
    roles."""
    terms = second_client.Terms(service.terms(experiment))
    model = second_client.Model(terms, service.model(experiment)[1])
    frames = []
    for frame in service.frames(experiment, count):
        nonce = frame[24:40]
        role = second_client.role_of_round(terms, model, nonce)
        if role != "learn":
            first = second_client.codeword(terms.key, nonce, 1, 2, 0)[0] > 0
            frame = frame[:40] + struct.pack("<H", 0 if first == (role == "control") else 1)
        frames.append(frame)
    return frames


def harm_of(service, experiment):
    return json.loads(service.manage("GET", f"/v1/experiments/{experiment}/results").body)["harm"]


def magic(service, experiment):
    return service.model(experiment)[1][:4]
