"""The owner's side of a running `sottod`: experiments over its admin port."""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping, Sequence, Type, TypeVar, Union

from sotto import _c, errors
from sotto._model import Model
from sotto._terms import Spec, Terms


_Kind = TypeVar("_Kind")


class ServiceError(errors.Error):
    """A `sottod` refused a request, did not answer, or the answer is not from a `sottod`. `status` is the HTTP status or
    None; `field`, `value` and `allowed` are what `sottod` said about the request, or None."""

    def __init__(self, sentence: str, status: Union[int, None] = None,
                 told: Union[Mapping[str, Any], None] = None) -> None:
        super().__init__(sentence)
        self.status = status
        words = told or {}
        self.field, self.value, self.allowed = words.get("field"), words.get("value"), words.get("allowed")


class _Stay(urllib.request.HTTPRedirectHandler):
    """A token is shown to nobody but the one it is for."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def place_of(field: str, url: Any) -> str:
    """The beginning of a URL, without a slash at the end."""
    parts = urllib.parse.urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise errors.FaultError(f"{field} = {url!r}: expected http://HOST:PORT or https://HOST[:PORT]")
    return str(url).rstrip("/")


def sentence_of(status: int, body: bytes) -> ServiceError:
    """The exception of an answer other than success."""
    try:
        told = json.loads(body)
        words = told["error"]
        for name in ("field", "value", "allowed"):
            if told.get(name):
                words += f"; {name}: {told[name]}"
    except (ValueError, KeyError, TypeError, RecursionError):
        told, words = None, body[:200].decode("utf-8", "replace") or "no reason given"
    return ServiceError(f"{status}: {words}", status, told)


def read_json(place: str, body: bytes) -> Any:
    """What an answer says."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ServiceError(f"{place}: its answer is not JSON") from None


def _is(kind: Type[_Kind], found: Any, what: str) -> _Kind:
    """A part of an answer, which must be of this kind."""
    if not isinstance(found, kind):
        raise ServiceError(f"the answer has no {what}: is it a sottod?")
    return found


class Service:
    """A running `sottod`, for the owner of its experiments (docs/operations.md). Answers have the form of docs/openapi.json.

    admin_url    such as http://127.0.0.1:8788, as `sottod` prints it
    token        the text of admin.token, or of reader.token if you only read; or the path of such a file
    public_url   such as http://127.0.0.1:8787: for terms, models and URLs of devices

    It ignores proxies of the environment and follows no redirects.

        service = sotto.Service("http://127.0.0.1:8788", "~/.local/state/sotto/admin.token")
        id = service.create(sotto.Spec(reward_kind="binary", dim=5, arms=4), labels={"name": "front page"})["id"]
        service.results(id)["measurement"]"""

    def __init__(self, admin_url: str, token: Union[str, os.PathLike[str]], *, public_url: Union[str, None] = None,
                 timeout: float = 30) -> None:
        self.admin_url = place_of("admin_url", admin_url)
        self.public_url = None if public_url is None else place_of("public_url", public_url)
        self._timeout = _c.real("timeout", timeout)
        words = os.path.expanduser(os.fspath(token))
        if isinstance(token, os.PathLike) or os.sep in words:
            try:
                with open(words, encoding="utf-8", errors="replace") as file:
                    words = file.read().strip()
            except OSError as fault:
                raise errors.FaultError(f"token = {words!r}: {fault.strerror}") from None
        if not re.fullmatch(r"[!-~]{16,}", words):
            raise errors.FaultError("token: expected the text of admin.token, or a path with a '/' to that file, such as "
                                    "'~/.local/state/sotto/admin.token'")
        self._token = words
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay())

    # ---- requests

    def _ask(self, method: str, place: str, path: str, body: Any = None, token: bool = True) -> bytes:
        headers = {"Authorization": f"Bearer {self._token}"} if token else {}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(place + path, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as refused:
            code = refused.code
            try:
                with refused:
                    told = refused.read()
            except (OSError, ValueError, http.client.HTTPException):
                told = b""  # it broke off: the status is known
            raise sentence_of(code, told) from None
        except (OSError, ValueError, http.client.HTTPException) as fault:
            raise ServiceError(f"{place}: {getattr(fault, 'reason', fault)}") from fault

    def _manage(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        found = read_json(self.admin_url, self._ask(method, self.admin_url, path, body))
        return _is(dict, found, "fields")

    def _state(self, method: str, path: str) -> str:
        return _is(str, self._manage(method, path).get("state"), "state")

    @staticmethod
    def _path(id: Any, more: str = "") -> str:
        if not isinstance(id, str) or not re.fullmatch("[0-9a-f]{32}", id):
            raise errors.FaultError(f"id = {id!r}: expected 32 hexadecimal digits")
        return f"/v1/experiments/{id}{more}"

    # ---- experiments

    def experiments(self) -> list[dict[str, Any]]:
        """All experiments except deleted ones."""
        return _is(list, self._manage("GET", "/v1/experiments").get("experiments"), "experiments")

    def create(self, spec: Union[Spec, Mapping[str, Any]], *, learning: Union[Mapping[str, Any], None] = None,
               labels: Union[Mapping[str, str], None] = None, report_key: Union[str, None] = None,
               quarantine: bool = False, origins: Union[Sequence[str], None] = None) -> dict[str, Any]:
        """Creates an experiment and returns all of it, including its `id`, its privacy card and warnings. The service draws
        a `series` unless the spec has one other than 0."""
        body: dict[str, Any] = {"spec": dict(spec.fields() if isinstance(spec, Spec) else spec)}
        if isinstance(spec, Spec) and body["spec"].get("series") == 0:
            del body["spec"]["series"]  # as nobody has named it
        if learning is not None:
            body["learning"] = dict(learning)
        if labels is not None:
            body["labels"] = dict(labels)
        if report_key is not None:
            body["report_key"] = report_key
        if quarantine:
            body["quarantine"] = True
        if origins is not None:
            body["origins"] = list(origins)
        return self._manage("POST", "/v1/experiments", body)

    def experiment(self, id: str) -> dict[str, Any]:
        """Everything about one experiment."""
        return self._manage("GET", self._path(id))

    def open(self, id: str) -> str:
        """Makes an experiment accept reports again. Returns its state, as the next three do."""
        return self._state("POST", self._path(id, "/open"))

    def pause(self, id: str) -> str:
        """Makes an experiment refuse reports for a while; devices keep them."""
        return self._state("POST", self._path(id, "/pause"))

    def close(self, id: str) -> str:
        """Makes an experiment refuse reports for good."""
        return self._state("POST", self._path(id, "/close"))

    def delete(self, id: str) -> str:
        """Deletes an experiment for good."""
        return self._state("DELETE", self._path(id))

    def results(self, id: str, alpha: Union[float, None] = None) -> dict[str, Any]:
        """The value of the policy, with intervals that hold with probability 1 - alpha."""
        more = "" if alpha is None else f"?alpha={_c.real('alpha', alpha)!r}"
        return self._manage("GET", self._path(id, f"/results{more}"))

    def history(self, id: str, *, since: Union[int, None] = None, until: Union[int, None] = None,
                after: Union[int, None] = None, limit: Union[int, None] = None,
                resolution: Union[str, None] = None) -> dict[str, Any]:
        """The experiment over time. `rows` covers minute `since` to before `until`, counted from 1970, with one row per
        publish or per `resolution`: "epoch", "minute", "hour" or "day". By epoch or minute it covers at most a week, by
        default the last. `more` says that `limit` left rows out; pass the epoch of the last row as `after` to continue."""
        words: dict[str, Any] = {"resolution": resolution} if resolution is not None else {}
        for name, value, lowest in (("since", since, 0), ("until", until, 0), ("after", after, 0), ("limit", limit, 1)):
            if value is not None:
                words[name] = _c.whole(name, value, lowest, 2**32 - 1)
        more = "?" + urllib.parse.urlencode(words) if words else ""
        return self._manage("GET", self._path(id, f"/history{more}"))

    def quarantine(self, id: str, on: bool) -> dict[str, Any]:
        """Whether an epoch with an alarm of the watch is held until you release or discard it."""
        return self._manage("POST", self._path(id, "/quarantine"), {"quarantine": bool(on)})

    def set_origins(self, id: str, origins: Sequence[str]) -> dict[str, Any]:
        """The web pages that may send reports, instead of those allowed so far; ["*"] allows all."""
        return self._manage("POST", self._path(id, "/origins"), {"origins": list(origins)})

    def set_report_keys(self, id: str, keys: Sequence[str]) -> dict[str, Any]:
        """The keys that devices may send: one; the old and the new one during renewal; or none."""
        return self._manage("POST", self._path(id, "/report-keys"), {"report_keys": list(keys)})

    def release(self, id: str) -> dict[str, Any]:
        """Publishes a held epoch unchanged."""
        return self._manage("POST", self._path(id, "/release"))

    def discard(self, id: str) -> dict[str, Any]:
        """Ends a held epoch and ignores its reports."""
        return self._manage("POST", self._path(id, "/discard"))

    def metrics(self, experiment: Union[str, None] = None) -> str:
        """Metrics of the running service, or of one experiment, in Prometheus format."""
        more = "" if experiment is None else "?experiment=" + self._path(experiment).rpartition("/")[2]
        return self._ask("GET", self.admin_url, f"/metrics{more}").decode("utf-8", "replace")

    # ---- what devices see

    def _public(self, path: str) -> bytes:
        if self.public_url is None:
            raise errors.FaultError("public_url is not set: terms and models are on the public port")
        return self._ask("GET", self.public_url, path, token=False)

    def url(self, id: str) -> str:
        """The URL of an experiment, for devices."""
        if self.public_url is None:
            raise errors.FaultError("public_url is not set: devices ask there")
        return self.public_url + self._path(id)

    def terms(self, id: str) -> Terms:
        """The terms of an experiment, checked."""
        return Terms.from_bytes(self._public(self._path(id, "/terms")))

    def model(self, id: str) -> Model:
        """The model of the current epoch, checked."""
        return Model.from_bytes(self.terms(id), self._public(self._path(id, "/model")))

    def privacy(self, id: str) -> dict[str, Any]:
        """The privacy card of an experiment, as the server shows it."""
        found = read_json(str(self.public_url), self._public(self._path(id, "/privacy")))
        return _is(dict, found, "fields")

    def __repr__(self) -> str:
        return f"<Service at {self.admin_url}>"
