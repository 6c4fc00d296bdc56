#!/usr/bin/env python3
"""Replays the tables of a service of several machines, and knows docs/formats.md alone.

    replay_postgres.py URL          the service may run

Checks every digest and every chain. Then the two learners of replay_journal.py take what counts, in the order of
gateways and of their rows, and publish or discard: every model must be the one in the table, to the bit, and its counts
those of the rows. Needs psql."""
import collections
import struct
import subprocess
import sys

from replay_journal import COUNTS, DELETED, HISTORY, Damage, check_history, learn, require, sha256, sized

__all__ = ["Database", "Damage"]
CLOSED = 2  # the state
COPIED = ("journal", "model")  # tables from which rows are removed
ENDS = {1: b"P", 2: b"D", 3: b"E"}  # an epoch, by its kind: a publish, a discard, one that ends a fallback
PLACE = struct.Struct("<IQ32s")
COLUMNS = {
    "experiment": "number id state created_minute epoch_seconds_min epoch_reports_min epoch_reports_expected quarantine "
                  "report_key terms start labels digest",
    "journal": "experiment gateway gseq epoch reports late duplicate conflicting frames digest",
    "removed": "experiment gateway gseq last digest",
    "model": "experiment epoch kind minute folded late duplicate conflicting cut learner told before digest",
    "history": " ".join(name for name, _ in HISTORY) + " digest",
    "ended": "experiment epoch folded late duplicate conflicting cut learner digest",
    "held": "experiment epoch alarms reports decision digest",
}
BYTES = set("id report_key terms start digest frames last cut learner told before".split())
ORDER = {"experiment": "1", "journal": "1, 2, 3", "removed": "1, 2", "model": "1, 2", "history": "1, 2", "held": "1", "ended": "1"}


def shown(column):
    """A column as text that needs no quotes."""
    if column == "labels":
        return "encode(convert_to(labels, 'UTF8'), 'hex')"
    if column == "quarantine":
        return "quarantine::integer"
    return f"encode({column}, 'hex')" if column in BYTES else column


def value_of(column, text):
    if column == "labels" or column in BYTES:
        return None if text == r"\N" else bytes.fromhex(text)
    return int(text)


def read(url, copies=None):
    """All tables at one moment: {name: rows}; those of the schema `copies` as "copies.name"."""
    said = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"]
    places = [(table, f"sotto.{table}") for table in COLUMNS]
    places += [(f"copies.{table}", f"{copies}.{table}") for table in COPIED if copies]
    for name, place in places:
        table = name.removeprefix("copies.")
        wanted = ", ".join(map(shown, COLUMNS[table].split()))
        said += [rf"\echo == {name}", f"COPY (SELECT {wanted} FROM {place} ORDER BY {ORDER[table]}) TO STDOUT;"]
    done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", url], input="\n".join(said + ["COMMIT;"]),
                          capture_output=True, text=True, timeout=300)
    require(done.returncode == 0, done.stderr)
    tables, rows = {}, None
    for line in done.stdout.splitlines():
        if line.startswith("== "):
            columns = COLUMNS[line[3:].removeprefix("copies.")].split()
            rows = tables[line[3:]] = []
        else:
            rows.append({c: value_of(c, text) for c, text in zip(columns, line.split("\t"), strict=True)})
    return tables


class Replay:
    """The result of replaying the rows of one experiment."""

    def __init__(self, models, shown, counts, waiting, rows, more, lag):
        self.models = models      # {epoch: learner}
        self.shown = shown        # {epoch: model}, as devices get it
        self.counts = counts      # of everything that is in a model
        self.waiting = waiting    # frames that are in no model yet
        self.frames = rows        # all frames, in their order
        self.more = more          # waiting ones in no row: late ones, duplicates, conflicting ones
        self.lag = lag            # epoch_lag_max

    @property
    def acknowledged(self):
        return sum(self.counts.values()) + len(self.waiting) + self.more


class Database:
    """The rows of a database, checked. `copies` is a schema in which somebody else kept all rows
    that `journal` and `model` ever had: then the rest is checked, and the copies replace it."""

    def __init__(self, url, copies=None):
        self.tables = read(url, copies)
        self.experiments = self.tables["experiment"]
        self.take({(r["experiment"], r["gateway"]): r for r in self.tables["removed"]})
        if copies:
            left = {(r["experiment"], r["gateway"], r["gseq"]): r["digest"] for r in self.tables["journal"]}
            for table in COPIED:
                self.tables[table] = self.tables[f"copies.{table}"]
            self.take({})
            self.check_left(left)

    def take(self, removed):
        """Groups rows by experiment and gateway."""
        self.removed = removed
        self.rows = collections.defaultdict(lambda: collections.defaultdict(list))
        for row in self.tables["journal"]:
            self.rows[row["experiment"]][row["gateway"]].append(row)
        self.models = collections.defaultdict(list)
        for model in self.tables["model"]:
            self.models[model["experiment"]].append(model)
        self.ended = {e["experiment"]: e for e in self.tables["ended"]}
        self.check()

    # ---- digests

    def check(self):
        numbers = [e["number"] for e in self.experiments]
        require(numbers == list(range(1, len(numbers) + 1)), "experiments are", numbers)
        for e in self.experiments:
            self.check_experiment(e)
        for r in self.removed.values():
            digest = sha256(b"removed", struct.pack("<IIQ", r["experiment"], r["gateway"], r["gseq"]), r["last"])
            require(digest == r["digest"], "what was removed of", r["experiment"], "has another digest")
        for experiment, gateways in self.rows.items():
            for gateway, rows in gateways.items():
                self.check_chain(experiment, gateway, rows)
        for models in self.models.values():
            self.check_models(models)
        for h in self.tables["history"]:
            check_history(h)
        for e in self.ended.values():
            digest = sha256(b"ended", struct.pack("<II4Q", e["experiment"], e["epoch"], *(e[name] for name in COUNTS)),
                            sized(e["cut"]), sized(e["learner"]))
            require(digest == e["digest"], "the end of", e["experiment"], "has another digest")
        for h in self.tables["held"]:
            digest = sha256(b"held", struct.pack("<IIIQI", *list(h.values())[:-1]))
            require(digest == h["digest"], "what is held of", h["experiment"], "has another digest")
            newest = max((m["epoch"] for m in self.models[h["experiment"]]), default=0)
            require(h["epoch"] == newest, "epoch", h["epoch"], "is held, and", newest, "is open")

    def check_left(self, left):
        """No row changed. Each missing one is in a model, or in the end of an experiment, and has
        no frames of an open epoch."""
        lost = [r for r in self.tables["journal"] if left.get(place_of(r)) != r["digest"]]
        for e in self.experiments:
            gone = [r for r in lost if r["experiment"] == e["number"]]
            if not gone or e["state"] == DELETED:
                continue
            models = self.models[e["number"]]
            cut = {}  # a gateway that has ended and has no rows left is in no cut any more
            for m in models + ([self.ended[e["number"]]] if e["number"] in self.ended else []):
                cut.update(self.cut_of(m))
            lag = int(tell((b"T", e["terms"]), (b"L", e["start"]))["lag"][0][0])
            oldest = len(models) + 1 if e["state"] == CLOSED else len(models) - lag
            for row in gone:
                require(place_of(row) not in left, "row", place_of(row), "was another one")
                require(row["gseq"] <= cut.get(row["gateway"], 0), "row", place_of(row), "is gone, and in no model")
                require(not row["reports"] or row["epoch"] < oldest, "row", place_of(row), "of epoch", row["epoch"],
                        "is gone, and epoch", oldest, "is open")
        require(len(left) + len(lost) == len(self.tables["journal"]), "rows are there that nobody wrote")

    def check_experiment(self, e):
        digest = sha256(b"experiment", struct.pack("<I", e["number"]), e["id"],
                        struct.pack("<IQIQ", e["state"], e["created_minute"], e["epoch_seconds_min"],
                                    e["epoch_reports_min"]),
                        sized(e["terms"]), sized(e["start"]), sized(e["labels"]),
                        struct.pack("<QI", e["epoch_reports_expected"], e["quarantine"]),
                        sized(e["report_key"] or b""))
        require(digest == e["digest"], "experiment", e["number"], "has another digest")
        if e["state"] != DELETED:
            require(sha256(e["terms"])[:16] == e["id"], "experiment", e["number"], "has terms of another id")

    def check_chain(self, experiment, gateway, rows):
        before = self.removed.get((experiment, gateway), {"gseq": 0, "last": bytes(32)})
        gseq, digest = before["gseq"], before["last"]
        for row in rows:
            require(row["gseq"] == gseq + 1, "gateway", gateway, "of", experiment, "has row", row["gseq"], "after", gseq)
            gseq += 1
            digest = sha256(digest, struct.pack("<IIQIIII", experiment, gateway, gseq, row["epoch"], row["late"],
                                                row["duplicate"], row["conflicting"]), sized(row["frames"]))
            require(digest == row["digest"], "row", gseq, "of gateway", gateway, "has another digest")

    @staticmethod
    def check_models(models):
        for i, m in enumerate(models):
            require(i == 0 or m["epoch"] == models[i - 1]["epoch"] + 1, "a model is missing before epoch", m["epoch"])
            require(i == 0 or m["before"] == models[i - 1]["digest"], "the model of", m["epoch"], "follows another")
            require(m["epoch"] > 1 or m["before"] == bytes(32), "something is before the first model")
            digest = sha256(b"model", m["before"],
                            struct.pack("<IIIQ4Q", m["experiment"], m["epoch"], m["kind"], m["minute"],
                                        *(m[name] for name in COUNTS)),
                            sized(m["cut"]), sized(m["learner"]), sized(m["told"]))
            require(digest == m["digest"], "the model of epoch", m["epoch"], "has another digest")

    # ---- replay

    def find(self, id_text):
        return next(e for e in self.experiments if e["id"].hex() == id_text)

    def cut_of(self, model):
        """{gateway: gseq}; checks that each digest is that of the row."""
        cut = {}
        for gateway, gseq, digest in PLACE.iter_unpack(model["cut"]):
            require(gateway > max(cut, default=0), "a cut is not sorted")
            rows = [r for r in self.rows[model["experiment"]][gateway] if r["gseq"] == gseq]
            require(not rows or rows[0]["digest"] == digest, "a cut has another digest of gateway", gateway)
            cut[gateway] = gseq
        return cut

    def between(self, experiment, cut, to):
        """Rows after one cut, up to another, in the order in which they count. None: up to the
        end."""
        gateways = self.rows[experiment]
        return [row for gateway in sorted(gateways) for row in gateways[gateway]
                if row["gseq"] > cut.get(gateway, 0) and (to is None or row["gseq"] <= to.get(gateway, 0))]

    def replay(self, id_text, tail=False):
        """Replays from the start: all rows must be there. A tail begins at the oldest model that is
        left."""
        e = self.find(id_text)
        models = list(self.models[e["number"]])
        tail = models.pop(0) if tail and models else None
        require(tail or not any(key[0] == e["number"] for key in self.removed), "the first rows are not there")
        begin, number = (tail["learner"], tail["epoch"]) if tail else (e["start"], 0)
        commands = [(b"T", e["terms"]), (b"L", begin)]
        first = tell(*commands)
        size, lag = int(first["frame"][0][0]), int(first["lag"][0][0])
        counts, cut = collections.Counter(), {}
        if tail:
            counts.update({name: tail[name] for name in COUNTS})
            cut = self.cut_of(tail)
        every = [f for row in self.between(e["number"], {}, cut) for f in frames_of(row, size)]
        seen = {frame[24:40]: frame for frame in reversed(every)}  # the first one counted
        last = number + len(models)
        require([m["epoch"] for m in models] == list(range(number + 1, last + 1)), "the first models are not there")
        ends = [self.ended[e["number"]]] if e["number"] in self.ended else []
        require(not ends or (e["state"] == CLOSED and ends[0]["epoch"] == last), "it ended at", ends)
        for m in models + ends:
            to, new = self.cut_of(m), []
            opens = m["epoch"] + (m in ends)  # the last rows are of an epoch that never ended
            require(all(to.get(g, s) >= s for g, s in cut.items()), "a cut goes back at epoch", m["epoch"])
            oldest = max(0, opens - 1 - lag)
            seen = {nonce: frame for nonce, frame in seen.items() if epoch_of(frame) >= oldest}
            for row in self.between(e["number"], cut, to):
                frames = frames_of(row, size)
                every += frames
                counts.update({name: row[name] for name in COUNTS[1:]})
                for frame in frames:
                    require(epoch_of(frame) < opens, "a frame of epoch", epoch_of(frame), "before it began")
                    kind = kind_of(frame, seen, oldest)
                    counts[kind] += 1
                    if kind == "folded":
                        seen[frame[24:40]] = frame
                        new.append(frame)
            require(all(m[name] == counts[name] for name in COUNTS), "epoch", m["epoch"], "counts", dict(counts), m)
            commands += [(b"F", b"".join(new))] + ([] if m in ends else [(ENDS[m["kind"]], b"")]) + [(b"S", b"")]
            cut = {**cut, **to}
        rest = self.between(e["number"], cut, None)
        waiting = [f for row in rest for f in frames_of(row, size)]
        require(not ends or not waiting, "reports wait after the end")
        said = tell(*commands)
        for m, (learner,) in zip(models + ends, said["learner"]):
            require(bytes.fromhex(learner) == m["learner"], "the model of epoch", m["epoch"], "is another")
        shown = {int(epoch): bytes.fromhex(model) for epoch, model in (*first["end"], *said["model"])}
        return Replay({m["epoch"]: m["learner"] for m in models}, shown, {n: counts[n] for n in COUNTS}, waiting,
                      every + waiting, sum(row[name] for row in rest for name in COUNTS[1:]), lag)


def place_of(row):
    return row["experiment"], row["gateway"], row["gseq"]


def epoch_of(frame):
    return struct.unpack_from("<I", frame, 20)[0]


def frames_of(row, size):
    frames = [row["frames"][i:i + size] for i in range(0, len(row["frames"]), size)]
    nonces = [frame[24:40] for frame in frames]
    require(nonces == sorted(nonces), "a row is not sorted by nonce")
    require(len(frames) == row["reports"], "a row has", row["reports"], "reports")
    require(max(map(epoch_of, frames), default=0) == row["epoch"], "a row has epoch", row["epoch"])
    return frames


def kind_of(frame, seen, oldest):
    if epoch_of(frame) < oldest:
        return "late"
    if frame[24:40] not in seen:
        return "folded"
    return "duplicate" if seen[frame[24:40]] == frame else "conflicting"


def tell(*commands):
    """{word: its lines} as the learner prints them."""
    said = collections.defaultdict(list)
    for line in learn(commands).splitlines():
        word, *rest = line.split()
        said[word].append(rest)
    return said


def main(url):
    database = Database(url)
    for e in database.experiments:
        if e["state"] == DELETED:
            continue
        replay = database.replay(e["id"].hex())
        counts = " ".join(f"{name} {replay.counts[name]}" for name in COUNTS)
        print(f"{e['id'].hex()} epoch {len(replay.models)} {counts} waiting {len(replay.waiting)}")


if __name__ == "__main__":
    main(sys.argv[1])
