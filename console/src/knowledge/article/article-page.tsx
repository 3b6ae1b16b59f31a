import "../knowledge.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, Ellipsis, PenLine } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { ArticleBody } from "./article-body.tsx";
import { ArticleSide } from "./article-side.tsx";
import { Feedback } from "./feedback.tsx";
import { type ReviewAct, ReviewDialog, useReviewActs } from "./review.tsx";
import { Versions } from "./versions.tsx";
import { Button } from "../../ui/form/button.tsx";

type Article = Schemas["Article"];

/** The page of an article; authors also see a side panel. */
export function ArticlePage() {
  const { id } = useParams({ from: "/inside/knowledge/$id" });
  const input = { params: { id }, query: { format: "html" } } as const;
  const { data, error, isPending, refetch } = useOp("knowledge.get", input);
  const article = data?.data;
  useTitle(article && `${article.number} ${article.title}`);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page paper">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {article && (article.id === id || article.number === id) && (
        <ArticleSheet key={article.id} article={article} />
      )}
    </div>
  );
}

function ArticleSheet({ article }: { readonly article: Article }) {
  const navigate = useNavigate();
  const mayWrite = useMay()("knowledge.create");
  const [dialog, setDialog] = useState<ReviewAct>();
  const [hasVersions, setVersions] = useState(false);
  const acts = useReviewActs(article, setDialog);
  const canEdit = mayWrite && article.state !== "retired";
  const refusal = useRefusal("knowledge.create");
  const params = { id: article.number };
  useActions([
    {
      keys: "e",
      label: "Edit",
      run: () => void navigate({ to: "/knowledge/$id/edit", params }),
      disabled:
        refusal ?? (canEdit ? undefined : "This article is retired. Restore a version first."),
    },
    { keys: "v", label: "Versions", run: () => setVersions(true), disabled: refusal },
    ...acts.map(({ keys, label, run }) => ({ keys, label, run, disabled: refusal })),
  ]);
  const [main] = acts;
  return (
    <>
      <header className="page-head">
        <Link className="btn bare icon" aria-label="Knowledge" to="/knowledge">
          <ArrowLeft />
        </Link>
        <span className="mono muted">{article.number}</span>
        <State state={article.state} />
        <span className="grow" />
        {mayWrite && (
          <>
            <Menu
              label="More actions"
              items={[
                { label: "Versions", keys: "v", onPick: () => setVersions(true) },
                ...acts.slice(1).map(({ label, keys, run }) => ({ label, keys, onPick: run })),
              ]}
            >
              <Ellipsis />
            </Menu>
            {main && (
              <Button aria-keyshortcuts={main.keys} onClick={main.run}>
                {main.label}
              </Button>
            )}
            {canEdit && (
              <Link
                className="btn main"
                to="/knowledge/$id/edit"
                params={params}
                aria-keyshortcuts="e"
              >
                <PenLine /> Edit
              </Link>
            )}
          </>
        )}
      </header>
      <div className="scroll kb-page" tabIndex={0} role="region" aria-label={article.title}>
        <article className="kb-main">
          <h1>{article.title}</h1>
          {article.summary !== "" && <p className="kb-summary">{article.summary}</p>}
          <ArticleBody html={article.html ?? ""} />
          {article.state === "published" && <Feedback article={article} />}
        </article>
        <ArticleSide article={article} mayWrite={mayWrite} />
      </div>
      {dialog && (
        <ReviewDialog article={article} act={dialog} onClose={() => setDialog(undefined)} />
      )}
      {hasVersions && <Versions article={article} onClose={() => setVersions(false)} />}
    </>
  );
}
