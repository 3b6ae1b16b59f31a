export interface FieldChange {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the changes of an event that contains before and after values; undefined for others. */
export function listChanges(
  data: Readonly<Record<string, unknown>>,
): readonly FieldChange[] | undefined {
  const { before, after } = data as { before?: unknown; after?: unknown };
  if (!isFields(before) || !isFields(after)) return undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => name !== "updatedAt")
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** Returns the remaining fields. Omits empty fields and the table id if the name is shown. */
export function listFields(
  data: Readonly<Record<string, unknown>>,
  said: readonly unknown[],
): readonly (readonly [string, unknown])[] {
  const isOfTable = "tableSlug" in data;
  return Object.entries(data).filter(
    ([name, value]) =>
      !isEmpty(value) && !said.includes(value) && !(isOfTable && OF_TABLE.has(name)),
  );
}

const OF_TABLE: ReadonlySet<string> = new Set(["tableId", "tableRevision"]);

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const SHORT_CHARACTERS = 120;

/** Returns the texts of a change that is shown as a line diff: long texts, definitions and scripts. */
export function toLongTexts({ before, after }: FieldChange): readonly [string, string] | undefined {
  const texts = [toText(before), toText(after)] as const;
  return texts.some((text) => text.length > SHORT_CHARACTERS || text.includes("\n"))
    ? texts
    : undefined;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
