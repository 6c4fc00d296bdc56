-- Checks the digests of a journal in PostgreSQL: psql URL -f check_journal.sql
-- Lists the rows whose digest is wrong, and those before which a row is missing. An intact journal gives none. Nothing
-- is changed, and the service may run meanwhile. docs/formats.md specifies the digests.
CREATE FUNCTION pg_temp.le(x bigint, n int) RETURNS bytea LANGUAGE sql AS
$$ SELECT string_agg(substr(int8send(x), i, 1), ''::bytea ORDER BY i DESC) FROM generate_series(9 - n, 8) AS i $$;
CREATE FUNCTION pg_temp.data(x bytea) RETURNS bytea LANGUAGE sql AS
$$ SELECT pg_temp.le(octet_length(x), 8) || x $$;

WITH chained AS (
    SELECT j.*, coalesce(lag(j.digest) OVER w, r.last, decode(repeat('00', 32), 'hex')) AS before,
           coalesce(lag(j.gseq) OVER w, r.gseq, 0) AS gseq_before
    FROM sotto.journal AS j LEFT JOIN sotto.removed AS r USING (experiment, gateway)
    WINDOW w AS (PARTITION BY j.experiment, j.gateway ORDER BY j.gseq)
)
SELECT 'journal' AS what, experiment, gateway, gseq FROM chained
WHERE gseq <> gseq_before + 1 OR digest <> sha256(before || pg_temp.le(experiment, 4) || pg_temp.le(gateway, 4) ||
      pg_temp.le(gseq, 8) || pg_temp.le(epoch, 4) || pg_temp.le(late, 4) || pg_temp.le(duplicate, 4) ||
      pg_temp.le(conflicting, 4) || pg_temp.data(frames))
UNION ALL
SELECT 'model', experiment, 0, epoch FROM sotto.model
WHERE digest <> sha256('model'::bytea || before || pg_temp.le(experiment, 4) || pg_temp.le(epoch, 4) ||
      pg_temp.le(kind, 4) || pg_temp.le(minute, 8) || pg_temp.le(folded, 8) || pg_temp.le(late, 8) ||
      pg_temp.le(duplicate, 8) || pg_temp.le(conflicting, 8) || pg_temp.data(cut) || pg_temp.data(learner) ||
      pg_temp.data(told))
UNION ALL
SELECT 'experiment', number, 0, 0 FROM sotto.experiment
WHERE digest <> sha256('experiment'::bytea || pg_temp.le(number, 4) || id || pg_temp.le(state, 4) ||
      pg_temp.le(created_minute, 8) || pg_temp.le(epoch_seconds_min, 4) || pg_temp.le(epoch_reports_min, 8) ||
      pg_temp.data(terms) || pg_temp.data(start) || pg_temp.data(convert_to(labels, 'UTF8')) ||
      pg_temp.le(epoch_reports_expected, 8) || pg_temp.le(quarantine::int, 4) ||
      pg_temp.data(coalesce(report_key, '')));
