import { Link } from "@tanstack/react-router";
import { PenLine, X } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { Verdict } from "../article/verdict.tsx";
import { Button } from "../../ui/form/button.tsx";

const SHOWN = 50;

type Search = Schemas["ArticleSearch"];

/** Searches without results, and articles that do not help: what to write next. */
export function Quality() {
  return (
    <div className="scroll kb-quality" tabIndex={0} role="region" aria-label="Content gaps">
      <Unanswered />
      <Unhelpful />
    </div>
  );
}

function Unanswered() {
  const query = { unanswered: true, limit: SHOWN };
  const { data, error, isPending, refetch } = useOp("knowledge.list_searches", { query });
  const putAside = ({ id, words }: Search) =>
    perform("knowledge.delete_search", { params: { id } }, { said: `“${words}” dismissed` });
  return (
    <section aria-labelledby="kb-unanswered">
      <h2 id="kb-unanswered">Unanswered searches</h2>
      <p className="muted">Searches in the last six months, most frequent first.</p>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {data?.data.length === 0 && (
        <Empty title="No unanswered searches">Portal searches without a result appear here.</Empty>
      )}
      <ol className="kb-rows">
        {data?.data.map((search) => (
          <li key={search.id}>
            <b className="kb-times" title={count(search.searches, "search", "searches")}>
              {search.searches}×
            </b>
            <span className="grow kb-words">{search.words}</span>
            <span className="muted kb-why">
              {search.found === 0 ? "no results" : `${search.found} results, none opened`}
            </span>
            <Ago at={search.lastAt} />
            <Link
              className="btn"
              to="/knowledge/new"
              search={{ title: search.words, search: search.id }}
              aria-label={`Write article: ${search.words}`}
            >
              <PenLine /> Write article
            </Link>
            <Button
              look="bare"
              isIcon
              aria-label={`Dismiss: ${search.words}`}
              onClick={() => void putAside(search)}
            >
              <X />
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Unhelpful() {
  const { data, error, isPending, refetch } = useOp("knowledge.list", {
    query: { unhelpful: true, state: "published", limit: SHOWN },
  });
  const articles = (data?.data ?? [])
    .filter(
      ({ helpfulCount, unhelpfulCount }) => unhelpfulCount > 0 && unhelpfulCount * 2 > helpfulCount,
    )
    .toSorted((a, b) => b.unhelpfulCount - a.unhelpfulCount || b.openedCount - a.openedCount);
  return (
    <section aria-labelledby="kb-unhelpful">
      <h2 id="kb-unhelpful">Unhelpful articles</h2>
      <p className="muted">Articles with at least a third of negative ratings.</p>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={4} />}
      {data && articles.length === 0 && <Empty title="No unhelpful articles" />}
      <ol className="kb-rows">
        {articles.map((article) => (
          <li key={article.id}>
            <Verdict entry={article} />
            <Link className="grow cut link" to="/knowledge/$id" params={{ id: article.number }}>
              {article.title}
            </Link>
            <span className="muted kb-why">{count(article.openedCount, "time")} opened</span>
            <Ago at={article.updatedAt} />
            <Link className="btn" to="/knowledge/$id/edit" params={{ id: article.number }}>
              <PenLine /> Edit article
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}
