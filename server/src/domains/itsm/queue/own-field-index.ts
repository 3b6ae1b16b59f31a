/**
 * Filters by custom fields with an index. The JSON condition remains; the index condition narrows it to candidate
 * tickets if the filter compares with one or several values (ADR 0061).
 */
import type { ListCondition } from "#kernel/list/list.ts";
import { PLANNED_ANEW } from "#kernel/db/statement-names.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";

const OWN_FIELD = /^fields\.([a-z][a-zA-Z0-9]{0,39})$/;
/** The index does not contain longer texts. */
const CHARACTERS_MAX = 200;
const VALUES_MAX = 100;

type Filter = Readonly<Record<string, unknown>>;

/** A filter in two parts: index conditions, and all other conditions. */
export interface SplitFilter {
  readonly indexed: Filter;
  readonly rest: Filter;
  readonly conditions: readonly ListCondition[];
}

/**
 * Splits a filter by whether the index contains the values of custom fields. With `byAge` the list has no other
 * conditions and uses creation order, which the index provides too.
 */
export function splitFilter(filter: Filter, byAge: boolean): SplitFilter {
  const isAlone = byAge && Object.keys(filter).length === 1;
  const parts = Object.entries(filter).map(([name, condition]) => {
    const key = OWN_FIELD.exec(name)?.[1];
    const values = key === undefined ? undefined : valuesOf(condition);
    if (key === undefined || !values) return { name, condition, asked: undefined };
    return {
      name,
      condition,
      asked: (parameters: SqlParameters) => hasValue(parameters, { key, values, inOrder: isAlone }),
    };
  });
  const filterOf = (isIndexed: boolean): Filter =>
    Object.fromEntries(
      parts.flatMap(({ name, condition, asked }) =>
        (asked !== undefined) === isIndexed ? [[name, condition]] : [],
      ),
    );
  const conditions = parts.flatMap(({ asked }) => asked ?? []);
  return { indexed: filterOf(true), rest: filterOf(false), conditions };
}

function hasValue(
  parameters: SqlParameters,
  {
    key,
    values,
    inOrder,
  }: { readonly key: string; readonly values: readonly string[]; readonly inOrder: boolean },
): string {
  const [only] = values;
  const compared =
    values.length === 1 && only !== undefined
      ? `v.value = ${parameters.add(only, "text")}`
      : `v.value = any (${parameters.add(values, "text[]")})`;
  const name = parameters.add(key, "text");
  const joined = `v.ticket_id = tickets.id and v.workspace_id = tickets.workspace_id
      and v.environment = tickets.environment`;
  // The planner can then read one value in list order and stop after a page. It underestimates the result, and would
  // otherwise start parallel workers to read all of it, which is slower.
  if (inOrder && values.length === 1) {
    return `exists (select from ticket_field_values v where ${joined} and v.created_at = tickets.created_at
      and v.seq = tickets.seq and v.key = in_one_process(${name}) and ${compared})`;
  }
  return `exists (select ${PLANNED_ANEW} from ticket_field_values v where ${joined} and v.key = ${name} and ${compared})`;
}

/** Returns the accepted values in index form, or undefined if the condition is not indexable. */
function valuesOf(condition: unknown): readonly string[] | undefined {
  if (typeof condition !== "object" || condition === null) return toTexts([condition]);
  const { eq, in: among } = condition as { readonly eq?: unknown; readonly in?: unknown };
  if (Array.isArray(among)) return toTexts(among);
  return eq === undefined ? undefined : toTexts([eq]);
}

function toTexts(values: readonly unknown[]): readonly string[] | undefined {
  if (values.length === 0 || values.length > VALUES_MAX) return undefined;
  const texts = values.flatMap((value) => {
    const text = ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
    // Numbers with an exponent have another format in PostgreSQL.
    const isPlain =
      typeof value !== "number" || (Number.isFinite(value) && !/e/.test(String(value)));
    return text !== undefined && isPlain && text.length <= CHARACTERS_MAX ? [text] : [];
  });
  return texts.length === values.length ? texts : undefined;
}
