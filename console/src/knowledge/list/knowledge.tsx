import "../knowledge.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { ArticleList } from "./article-list.tsx";
import { Quality } from "./quality.tsx";
import { SearchHits } from "./search-hits.tsx";
import type { KnowledgeSearch } from "../search.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const PAUSE_MS = 200;
const FILTERS = [
  [undefined, "All"],
  ["published", "Published"],
  ["in_review", "In review"],
  ["draft", "Drafts"],
  ["due", "Due for review"],
  ["retired", "Retired"],
] as const;

/** The knowledge base: articles with semantic search, and missing content. */
export function Knowledge() {
  const search = useSearch({ from: "/inside/knowledge" });
  const navigate = useNavigate();
  const mayWrite = useMay()("knowledge.create");
  const { tab, state, q = "" } = search;
  const late = useDebounced(q.trim(), PAUSE_MS);
  const isQuality = tab === "quality" && mayWrite;
  const show = (next: KnowledgeSearch): void =>
    void navigate({ to: "/knowledge", search: next, replace: true });
  const refusal = useRefusal("knowledge.create");
  useActions([
    {
      keys: "/",
      label: "Search articles",
      run: () => document.getElementById("article-find")?.focus(),
    },
    {
      keys: "n",
      label: "New article",
      run: () => void navigate({ to: "/knowledge/new" }),
      disabled: refusal,
    },
    {
      keys: "l",
      label: isQuality ? "Show articles" : "Content gaps",
      run: () => show(isQuality ? {} : { tab: "quality" }),
      disabled: refusal,
    },
  ]);
  return (
    <div className="page paper">
      <header className="page-head kb-head">
        <h1>Knowledge</h1>
        {mayWrite && (
          <div className="tabs" role="group" aria-label="View">
            <PlainButton aria-pressed={!isQuality} onClick={() => show({})}>
              Articles
            </PlainButton>
            <PlainButton aria-pressed={isQuality} onClick={() => show({ tab: "quality" })}>
              Content gaps <MissingCount />
            </PlainButton>
          </div>
        )}
        <span className="grow" />
        {!isQuality && (
          <label className="kb-find">
            <TextInput
              id="article-find"
              type="search"
              aria-label="Search articles"
              placeholder="Ask a question…"
              value={q}
              onChange={({ target }) => show({ ...search, q: target.value || undefined })}
            />
          </label>
        )}
        {mayWrite && (
          <Link
            className="btn main"
            to="/knowledge/new"
            aria-label="New article"
            aria-keyshortcuts="n"
          >
            <Plus /> <span className="kb-wide">New article</span>
          </Link>
        )}
      </header>
      {!isQuality && mayWrite && late === "" && (
        <div className="kb-filters" role="group" aria-label="State">
          {FILTERS.map(([id, label]) => (
            <PlainButton
              key={label}
              className="chip"
              aria-pressed={state === id}
              onClick={() => show({ ...search, state: id })}
            >
              {label}
            </PlainButton>
          ))}
        </div>
      )}
      {isQuality ? (
        <Quality />
      ) : late === "" ? (
        <ArticleList state={state} mayWrite={mayWrite} />
      ) : (
        <SearchHits q={late} mayWrite={mayWrite} />
      )}
    </div>
  );
}

/** The number of searches without results. */
function MissingCount() {
  const query = { unanswered: true, limit: 1, count: "exact" } as const;
  const { data } = useOp("knowledge.list_searches", { query });
  const n = data?.pagination.total ?? 0;
  return n > 0 ? <span className="kb-count">{n.toLocaleString("en")}</span> : null;
}
