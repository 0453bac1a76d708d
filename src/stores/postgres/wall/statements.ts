import { fingerprint } from './token.ts'

/** Who verifies, and what a token lets through. Everything that the role may call says only what its own token says. */
const functions: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS {wall} (one boolean PRIMARY KEY DEFAULT true CHECK (one), inner_pad bytea NOT NULL, outer_pad bytea NOT NULL, form text NOT NULL)',
  // HMAC of the claims with SHA-256. Hashes are compared, so that the time it takes tells nothing. Runs as its callers, who may.
  `CREATE OR REPLACE FUNCTION {wall_claims}() RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $wall$
    DECLARE
      token text := current_setting('mneme.token', true);
      body text := substr(token, 65);
      claims jsonb;
      w record;
    BEGIN
      IF token IS NULL OR token = '' THEN RETURN NULL; END IF;
      SELECT inner_pad, outer_pad INTO w FROM {wall};
      IF sha256(convert_to(encode(sha256(w.outer_pad || sha256(w.inner_pad || convert_to(body, 'UTF8'))), 'hex'), 'UTF8'))
        IS DISTINCT FROM sha256(convert_to(left(token, 64), 'UTF8')) THEN RETURN NULL; END IF;
      claims := body::jsonb;
      IF (claims->>'until')::bigint < extract(epoch FROM transaction_timestamp()) * 1000 THEN RETURN '{"expired": true}'; END IF;
      RETURN claims;
    END $wall$`,
  `CREATE OR REPLACE FUNCTION {wall_all}() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $wall$
    BEGIN
      -- Most are not for everything: that needs no proof.
      IF substr(current_setting('mneme.token', true), 65, 11) IS DISTINCT FROM '{"all":true' THEN RETURN false; END IF;
      RETURN coalesce(({wall_claims}()->>'all')::boolean, false);
    END $wall$`,
  `CREATE OR REPLACE FUNCTION {wall_any}() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $wall$
    BEGIN
      RETURN coalesce({wall_claims}() ? 'all', false);
    END $wall$`,
  // The labels are looked up by the one that tells most.
  `CREATE OR REPLACE FUNCTION {wall_scopes}() RETURNS SETOF bigint LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER ROWS 20 SET search_path = pg_catalog, pg_temp AS $wall$
    DECLARE
      claims jsonb;
      w record;
    BEGIN
      IF substr(current_setting('mneme.token', true), 65, 11) = '{"all":true' THEN RETURN; END IF;
      claims := {wall_claims}();
      IF claims->'exact' IS NULL THEN RETURN; END IF;
      RETURN QUERY SELECT s.id FROM {scopes} s
        WHERE s.digest = ANY (ARRAY(SELECT decode(x, 'hex') FROM jsonb_array_elements_text(claims->'exact') x));
      FOR w IN SELECT * FROM jsonb_to_recordset(claims->'within') AS r(app text, usr text, agent text, session text, namespace text[]) LOOP
        IF w.session IS NOT NULL THEN
          RETURN QUERY SELECT s.id FROM {scopes} s WHERE s.session = w.session AND (w.usr IS NULL OR s.usr = w.usr)
            AND (w.agent IS NULL OR s.agent = w.agent) AND (w.app IS NULL OR s.app = w.app)
            AND s.namespace[1:cardinality(w.namespace)] = w.namespace;
        ELSIF w.usr IS NOT NULL THEN
          RETURN QUERY SELECT s.id FROM {scopes} s WHERE s.usr = w.usr AND (w.agent IS NULL OR s.agent = w.agent)
            AND (w.app IS NULL OR s.app = w.app) AND s.namespace[1:cardinality(w.namespace)] = w.namespace;
        ELSIF w.agent IS NOT NULL THEN
          RETURN QUERY SELECT s.id FROM {scopes} s WHERE s.agent = w.agent AND (w.app IS NULL OR s.app = w.app)
            AND s.namespace[1:cardinality(w.namespace)] = w.namespace;
        ELSIF w.app IS NOT NULL THEN
          RETURN QUERY SELECT s.id FROM {scopes} s WHERE s.app = w.app AND s.namespace[1:cardinality(w.namespace)] = w.namespace;
        ELSE
          RETURN QUERY SELECT s.id FROM {scopes} s WHERE s.namespace[1:cardinality(w.namespace)] = w.namespace;
        END IF;
      END LOOP;
    END $wall$`,
  // Only until the end of the transaction: the connection may be somebody else's then.
  `CREATE OR REPLACE FUNCTION {wall_enter}(token text) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $wall$
    DECLARE
      claims jsonb;
    BEGIN
      PERFORM set_config('mneme.token', token, true);
      claims := {wall_claims}();
      IF claims IS NULL THEN RAISE EXCEPTION 'not a token of this wall' USING ERRCODE = 'MNW01'; END IF;
      IF claims ? 'expired' THEN RAISE EXCEPTION 'the token has expired' USING ERRCODE = 'MNW02'; END IF;
      RETURN (SELECT form FROM {wall});
    END $wall$`,
]

const seen = (column: string) => `${column} IN (SELECT {wall_scopes}())`

/**
 * Which rows of a table a token for some scopes shows. Null: none, only a token for everything does. A table that is not
 * here is closed to the role.
 */
export const shown: Readonly<Record<string, string | null>> = {
  meta: null,
  derived: null,
  owners: null,
  transactions: null,
  mentions: null,
  scopes: seen('id'),
  // Names of embedders and analysers are nobody's.
  spaces: '(SELECT {wall_any}())',
  analysers: '(SELECT {wall_any}())',
  ids: seen('scope'),
  records: seen('scope'),
  revisions: seen('scope'),
  // Has no scope of its own: goes with the record.
  vectors: 'EXISTS (SELECT FROM {ids} i WHERE i.id = vectors.id)',
  links: `${seen('from_scope')} AND ${seen('to_scope')}`,
  link_log: `${seen('scope')} AND EXISTS (SELECT FROM {ids} i WHERE i.id = link_log.to_id)`,
  journal: seen('scope'),
  used_keys: seen('scope'),
  searched: seen('scope'),
  postings: seen('scope'),
  units: seen('scope'),
  scope_counts: seen('scope'),
  token_counts: seen('scope'),
  actor_counts: seen('scope'),
  vector_counts: seen('scope'),
}

/** Once for a statement, not for a row. */
const all = '(SELECT {wall_all}())'

const policies: readonly string[] = Object.entries(shown).flatMap(([table, rows]) => [
  `DROP POLICY IF EXISTS wall_all ON {${table}}`,
  `CREATE POLICY wall_all ON {${table}} USING (${all}) WITH CHECK (${all})`,
  `DROP POLICY IF EXISTS wall_scopes ON {${table}}`,
  ...(rows === null ? [] : [`CREATE POLICY wall_scopes ON {${table}} FOR SELECT USING (${rows})`]),
])

/** All but the grants. Partitions and tables that came later have no policy, so that they show nothing. */
export const wallStatements: readonly string[] = [
  ...functions,
  'REVOKE ALL ON FUNCTION {wall_claims}(), {wall_all}(), {wall_any}(), {wall_scopes}(), {wall_enter}(text) FROM PUBLIC',
  ...policies,
]

const form = fingerprint(wallStatements)

/**
 * What a wall says that stands as it is raised here, with the rights on tables of that version.
 */
export function wallForm(version: number): string {
  return `${form} ${version}`
}

/** @param role quoted @param schema quoted */
export function grantStatements(schema: string, role: string): readonly string[] {
  const tables = Object.keys(shown).map((table) => `{${table}}`)
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.join(', ')} TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    `GRANT EXECUTE ON FUNCTION {wall_all}(), {wall_any}(), {wall_scopes}(), {wall_enter}(text) TO ${role}`,
  ]
}
