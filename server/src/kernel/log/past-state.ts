/**
 * The states of things at a past moment, read from the log: of each the last event until then that has it whole, as
 * its data or as what it was changed to. A number of the past is worked out from these, exactly and at any time later.
 */
import type { ConditionField, ConditionFieldKind } from "../condition/sql.ts";
import type { SqlParameters } from "../db/statement.ts";

interface PastStates {
  readonly resourceType: string;
  readonly at: Date;
  /** Fields that an event has where it has the whole thing. */
  readonly marks: readonly string[];
  /** A field that all of them have alike, such as their table. */
  readonly among?: { readonly field: string; readonly value: string };
  /** The type of the event with which a thing ends. */
  readonly ended?: string;
}

/** The SQL after `from`: one row for each thing, with its state in the column `doc`, and the moment in `as_of`. */
export function pastStatesSql(parameters: SqlParameters, states: PastStates): string {
  const { resourceType, at, marks } = states;
  const type = parameters.add(resourceType, "text");
  const until = parameters.add(at, "timestamptz");
  const all = parameters.add(marks, "text[]");
  const [further, living] = [amongSql(parameters, states), endedSql(parameters, states)];
  return `(select doc, as_of from (
    select distinct on (e.resource_id) case when e.data ? 'after' then e.data -> 'after' else e.data end as doc,
           ${until} as as_of, e.type
      from events e
     where e.topic = ${type} and e.resource_type = ${type} and e.created_at <= ${until}
       and (e.data ?& ${all} or e.data -> 'after' ?& ${all})${further}
     order by e.resource_id, e.epoch desc, e.xid desc, e.seq desc) last${living}) past`;
}

function amongSql(parameters: SqlParameters, { among }: PastStates): string {
  if (!among) return "";
  const field = parameters.add(among.field, "text");
  return ` and e.data ->> ${field} = ${parameters.add(among.value, "text")}`;
}

function endedSql(parameters: SqlParameters, { ended }: PastStates): string {
  return ended === undefined ? "" : ` where type <> ${parameters.add(ended, "text")}`;
}

const CASTS: Partial<Readonly<Record<ConditionFieldKind, string>>> = {
  number: "numeric",
  time: "timestamptz",
  date: "date",
  boolean: "boolean",
};

/** A field of a past state by its name in the API. */
export function pastField(name: string, { kind }: Pick<ConditionField, "kind">): ConditionField {
  const key = `'${name.replaceAll("'", "''")}'`;
  if (kind === "json") return { sql: `(doc -> ${key})`, kind };
  if (kind === "texts") {
    const items = `jsonb_array_elements_text(case jsonb_typeof(doc -> ${key}) when 'array' then doc -> ${key} else '[]' end)`;
    return { sql: `array(select ${items})`, kind };
  }
  const cast = CASTS[kind];
  return { sql: `(doc ->> ${key})${cast === undefined ? "" : `::${cast}`}`, kind };
}
