import { useEffect, useState } from "react";
import { call, etagOf, type Schemas } from "../../data/api.ts";
import { describeRefusal, isConflict } from "../../data/change.ts";

type Article = Schemas["Article"];

/** What one writes of an article. */
export type ArticleDraft = Pick<
  Article,
  "title" | "body" | "summary" | "tags" | "category" | "visibility" | "reviewDueAt"
> & { readonly authorId: string | undefined; readonly reviewerId: string | null };

export const FORMAT = { format: "markdown" } as const;

export function draftOf(article: Article | undefined, title: string): ArticleDraft {
  return {
    title: article?.title ?? title,
    body: article?.body ?? "",
    summary: article?.summary ?? "",
    tags: article?.tags ?? [],
    category: article?.category ?? null,
    visibility: article?.visibility ?? "everyone",
    reviewDueAt: article?.reviewDueAt ?? null,
    authorId: article?.authorId,
    reviewerId: article?.reviewerId ?? null,
  };
}

/** The fields that differ, as a change of the article wants them. */
export function diffDraft(before: ArticleDraft, after: ArticleDraft): Partial<ArticleDraft> {
  const names = Object.keys(after) as (keyof ArticleDraft)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}

/** A draft of an article: kept on this device until it is saved, and saved on what it began with. */
export function useArticleDraft(article: Article | undefined, title: string) {
  const key = `millrace.draft.article.${article?.id ?? "new"}`;
  const [base, setBase] = useState(() => ({
    draft: draftOf(article, title),
    ifMatch: article && etagOf("knowledge.get", { params: { id: article.number }, query: FORMAT }),
  }));
  const [draft, setDraft] = useState<ArticleDraft>(() => ({
    ...base.draft,
    ...(title === "" && readKept(key)),
  }));
  const [theirs, setTheirs] = useState<Article>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const change = diffDraft(base.draft, draft);
  const isChanged = Object.keys(change).length > 0;
  const kept = JSON.stringify(change);
  useEffect(() => {
    if (isChanged) localStorage.setItem(key, kept);
    else localStorage.removeItem(key);
  }, [key, kept, isChanged]);
  const begin = (saved: Article, ifMatch: string | undefined): void => {
    setBase({ draft: draftOf(saved, ""), ifMatch });
    setTheirs(undefined);
  };
  /** Resolves to the article as it was saved. */
  const save = async (): Promise<Article | undefined> => {
    setBusy(true);
    setProblem(undefined);
    let etag: string | undefined;
    const onAnswer = ({ headers }: { readonly headers: Headers }): void => {
      etag = headers.get("etag") ?? undefined;
    };
    try {
      const { authorId, ...fields } = draft;
      const { data } = article
        ? await call(
            "knowledge.update",
            { params: { id: article.id }, body: change },
            { ...(base.ifMatch !== undefined && { ifMatch: base.ifMatch }), onAnswer },
          )
        : await call("knowledge.create", {
            body: { ...fields, ...(authorId !== undefined && { authorId }) },
          });
      localStorage.removeItem(key);
      begin(data, etag);
      return data;
    } catch (error) {
      if (isConflict(error) && article) {
        const input = { params: { id: article.id }, query: FORMAT };
        setTheirs((await call("knowledge.get", input)).data);
      } else setProblem(describeRefusal(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const resolve = (whose: "mine" | "theirs"): void => {
    if (!theirs) return;
    begin(theirs, etagOf("knowledge.get", { params: { id: theirs.id }, query: FORMAT }));
    if (whose === "theirs") setDraft(draftOf(theirs, ""));
  };
  const discard = (): void => setDraft(base.draft);
  return { draft, setDraft, isChanged, isBusy, problem, theirs, save, resolve, discard };
}

function readKept(key: string): Partial<ArticleDraft> | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
