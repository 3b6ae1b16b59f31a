import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import type { Operation } from "./contract.ts";
import { type Corpus, forEach } from "./corpus.ts";
import type { Dice } from "./dice.ts";
import { FOREIGN_MARK, SECRET_MARK } from "./verdict.ts";
import type { Country } from "./world.ts";

/** Fields that contain free text almost everywhere. */
const FREE = new Set([
  "name",
  "title",
  "description",
  "body",
  "summary",
  "message",
  "comment",
  "text",
  "detail",
  "reason",
]);
const SECRET = /^\/api\/v1\/secrets/;

/** Fills workspace B with resources of every kind that can be recognised in any response. */
export async function plant(
  corpus: Corpus,
  contract: readonly Operation[],
  country: Country,
  dice: Dice,
): Promise<void> {
  const owner = marking(await country.member(["owner"]));
  const creates = contract.filter(
    ({ id, name, statuses }) => id === name && (statuses.has("201") || statuses.has("202")),
  );
  await forEach(creates, async (op) => {
    const input = await corpus.arrange(op.name, { owner, country, dice });
    if (!input) return;
    const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(input.params[name] ?? ""),
    );
    await (input.by ?? owner)(`${op.method} ${path}`, input.body);
  });
  corpus.forget();
}

/** A secret that hostile texts reference by name, in a workspace where they are stored and evaluated. */
export async function plantSecret(country: Country): Promise<void> {
  const owner = await country.member(["owner"]);
  const body = { name: "PLANTED", value: `value-${SECRET_MARK}` };
  const { status } = await owner("POST /api/v1/secrets", body);
  if (status !== 201) throw new Error(`The secret could not be planted: ${status}`);
}

/** A caller that adds the mark to all its texts if the server accepts them. */
function marking(ask: Ask): Ask {
  const marked: Ask = async (route, body, headers) => {
    const path = route.slice(route.indexOf(" ") + 1);
    const changed = mark(body, SECRET.test(path));
    const answer = await ask(route, changed, headers);
    // A field may be too short for the mark, or not accept free text.
    return answer.status === 422 && changed !== body ? ask(route, body, headers) : answer;
  };
  return Object.assign(marked, { token: ask.token ?? "" });
}

function mark(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => mark(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (typeof part !== "string") return [key, mark(part, isSecret)];
      if (isSecret && key === "value") return [key, `${part} ${SECRET_MARK}`];
      return [key, FREE.has(key) && !isSecret ? `${part} ${FOREIGN_MARK}` : part];
    }),
  );
}
