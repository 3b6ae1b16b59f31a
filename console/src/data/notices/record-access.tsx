import { useQuery } from "@tanstack/react-query";
import { count, toWords } from "../../ui/words.ts";
import { call, query, type Schemas } from "../api.ts";
import { type Environment, place } from "../place.ts";

type Holders = Schemas["RecordHolders"];

const SLUGS_MAX = 100;

/** Loads who can use the records of these tables in an environment. */
function useRecordAccess(slugs: readonly string[], environment: Environment) {
  const tables = slugs.slice(0, SLUGS_MAX).join(",");
  const input = { query: tables === "" ? {} : { tables } };
  const { data } = useQuery({
    queryKey: [...query("records.get_access", input).queryKey, environment],
    queryFn: ({ signal }) => call("records.get_access", input, { signal, environment }),
  });
  return data?.data;
}

/** Shows who can read and write a new table, which has no access rules yet. */
export function NewTableAccess() {
  const access = useRecordAccess([], place.environment);
  return (
    access && (
      <p className="muted" role="note">
        A new table has no access rules. <Sentences {...access} /> Add access rules to restrict
        access.
      </p>
    )
  );
}

/** Shows who can read and write a table. */
export function TableAccess({ slug }: { readonly slug: string }) {
  const access = useRecordAccess([slug], place.environment);
  const [table] = access?.tables ?? [];
  if (!table) return null;
  return (
    <p className={table.open ? "notice" : "muted"} role="note">
      {table.open && <strong>This table has no access rules. </strong>}
      <Sentences {...table} isLimited={!table.open} />
    </p>
  );
}

interface OpenTablesProps {
  readonly slugs: readonly string[];
  readonly environment: Environment;
}

/** Lists the tables without access rules; hidden if all tables have access rules. */
export function OpenTables({ slugs, environment }: OpenTablesProps) {
  const access = useRecordAccess(slugs, environment);
  const open = access?.tables.filter((table) => table.open) ?? [];
  if (!access || open.length === 0) return null;
  const names = open.map(({ name }) => name).join(", ");
  return (
    <section role="note" aria-label="Tables without access rules">
      <h3>
        {open.length === 1 ? "This table has no access rules" : "These tables have no access rules"}
      </h3>
      <p className="muted">
        {names}. <Sentences {...access} /> This also applies outside the app.
      </p>
    </section>
  );
}

interface SentencesProps {
  readonly read: Holders;
  readonly write: Holders;
  readonly isLimited?: boolean;
}

function Sentences({ read, write, isLimited = false }: SentencesProps) {
  const records = isLimited ? "the records that the access rules allow" : "all records";
  return (
    <>
      {count(read.members, "member")} can read {records} ({rolesOf(read)}).{" "}
      {count(write.members, "member")} can change them ({rolesOf(write)}).
    </>
  );
}

const rolesOf = ({ roles }: Holders): string =>
  roles.map(({ id, name }) => (id === name ? toWords(name) : name)).join(", ");
