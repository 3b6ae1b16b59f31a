import { executor, type StepTools } from "#domains/runs/index.ts";
import { knowledgeSearch } from "#domains/workflows/index.ts";

const LIMIT_DEFAULT = 5;
const QUESTION_CHARACTERS_MAX = 500;
const TEXT_CHARACTERS_MAX = 8_000;

/** A search result. */
interface Hit {
  readonly kind: "article" | "record";
  readonly id: string;
  readonly title: string;
  readonly score: number;
  readonly text: string;
  readonly record?: Readonly<Record<string, unknown>>;
}

/** The step that searches articles and records, with the rights of its run. */
export const knowledgeStep = executor({
  type: knowledgeSearch,
  async run({ query, articles = false, limit = LIMIT_DEFAULT, scoreMin = -1, ...where }, tools) {
    const hits = [
      ...(articles ? await searchArticles(tools, query, limit) : []),
      ...(where.table === undefined
        ? []
        : await searchRecords(tools, where.table, {
            text: query,
            limit,
            ...(where.column !== undefined && { column: where.column }),
            ...(where.filter && { filter: where.filter }),
          })),
    ];
    const near = hits.filter(({ score }) => score >= scoreMin);
    return { output: near.toSorted((a, b) => b.score - a.score) };
  },
});

async function searchArticles({ perform }: StepTools, query: string, limit: number) {
  const q = query.replaceAll(/\s+/g, " ").slice(0, QUESTION_CHARACTERS_MAX);
  const found = (await perform("knowledge.ask", { body: { q, limit } })) as {
    data: readonly { id: string; title: string; score: number }[];
  };
  const hits: Hit[] = [];
  for (const { id, title, score } of found.data) {
    const article = (await perform("knowledge.get", { params: { id }, query: {} })) as {
      data: { body: string };
    };
    const text = article.data.body.slice(0, TEXT_CHARACTERS_MAX);
    hits.push({ kind: "article", id, title, score, text });
  }
  return hits;
}

async function searchRecords(
  { perform }: StepTools,
  table: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Hit[]> {
  const found = (await perform("records.find_similar", { params: { slug: table }, body })) as {
    data: readonly {
      score: number;
      passage: string | null;
      record: Readonly<Record<string, unknown>>;
    }[];
  };
  return found.data.map(({ score, passage, record }) => {
    const id = String(record["id"]);
    const [title = id] = Object.entries(record).flatMap(([name, value]) =>
      !SYSTEM_FIELDS.has(name) && typeof value === "string" ? [value] : [],
    );
    return {
      kind: "record",
      id,
      title: title.slice(0, TITLE_CHARACTERS_MAX),
      score,
      text: (passage ?? "").slice(0, TEXT_CHARACTERS_MAX),
      record,
    };
  });
}

const TITLE_CHARACTERS_MAX = 200;
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(["id", "createdAt", "updatedAt", "createdBy"]);
