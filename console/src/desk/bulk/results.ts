/** What acts would do, or did, in words that somebody reads before they say yes. */
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

/** One line for each ticket: what would change, or why it refuses. */
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

/** The reason in words: the faults of the input by the titles of their fields. */
function describeActRefusal({ message, errors }: NonNullable<Result["refusal"]>): string {
  return errors.length > 0 ? describeFaults(errors) : message;
}

function toChanges(
  before: Item,
  after: Item,
  nameOf: (id: string) => string | undefined,
): readonly string[] {
  const name = (id: string | null): string => (id === null ? "nobody" : (nameOf(id) ?? "somebody"));
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
    ...(wasSaid ? ["the caller is answered"] : []),
  ];
}
