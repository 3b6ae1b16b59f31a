/** Describes the effects of actions, for confirmation dialogs and results. */
import type { Schemas } from "../../data/api.ts";
import { describeFaults } from "../../data/error-words.ts";
import { toWords } from "../../ui/words.ts";

type Result = Schemas["ActResult"];
type Item = NonNullable<Result["after"]>;

export interface ActLine {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  /** Each change as "New → In progress". */
  readonly changes: readonly string[];
  readonly refusal: string | undefined;
}

/** Returns one line per ticket: its changes or its error. */
export function toLines(
  results: readonly Result[],
  nameOf: (id: string) => string | undefined,
): readonly ActLine[] {
  return results.map(({ id, number, before, after, refusal }) => ({
    id,
    number: number ?? before?.number ?? id,
    title: before?.title ?? "",
    changes: before && after ? toChanges(before, after, nameOf) : [],
    refusal: refusal ? describeActRefusal(refusal) : undefined,
  }));
}

/** Describes an error; invalid fields are named by their titles. */
function describeActRefusal({ message, errors }: NonNullable<Result["refusal"]>): string {
  return errors.length > 0 ? describeFaults(errors) : message;
}

function toChanges(
  before: Item,
  after: Item,
  nameOf: (id: string) => string | undefined,
): readonly string[] {
  const name = (id: string | null): string =>
    id === null ? "unassigned" : (nameOf(id) ?? "unknown");
  const change = (from: string, to: string): readonly string[] =>
    from === to ? [] : [`${from} → ${to}`];
  const added = after.tags.filter((tag) => !before.tags.includes(tag)).map((tag) => `+ ${tag}`);
  const gone = before.tags.filter((tag) => !after.tags.includes(tag)).map((tag) => `− ${tag}`);
  const wasSaid = after.lastPublicComment?.at !== before.lastPublicComment?.at;
  return [
    ...change(toWords(before.state), toWords(after.state)),
    ...change(name(before.assigneeId), name(after.assigneeId)),
    ...change(name(before.teamId), name(after.teamId)),
    ...change(`P${before.priority ?? "–"}`, `P${after.priority ?? "–"}`),
    ...added,
    ...gone,
    ...(wasSaid ? ["reply to caller"] : []),
  ];
}
