import "../knowledge.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useRef, useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Diff } from "../../ui/display/diff.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { notify } from "../../ui/toast.tsx";
import { ArticleBody } from "../article/article-body.tsx";
import { DraftDetails } from "./draft-details.tsx";
import { MarkdownField } from "./markdown-field.tsx";
import { type ArticleDraft, FORMAT, useArticleDraft } from "./use-article-draft.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Article = Schemas["Article"];

const PREVIEW_PAUSE_MS = 300;

/** A new article, perhaps the answer to what somebody searched for. */
export function NewArticle() {
  const { title = "", search } = useSearch({ from: "/inside/knowledge/new" });
  useTitle("New article");
  const words = title.charAt(0).toUpperCase() + title.slice(1);
  return <EditorPage article={undefined} title={words} searchId={search} />;
}

export function ArticleEditor() {
  const { id } = useParams({ from: "/inside/knowledge/$id/edit" });
  const { data, error, isPending, refetch } = useOp("knowledge.get", {
    params: { id },
    query: FORMAT,
  });
  const article = data?.data;
  useTitle(article && `Edit ${article.number}`);
  if (isGone(error)) return <NotFound />;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending || !article) return <Loading rows={10} />;
  return <EditorPage key={article.id} article={article} title="" searchId={undefined} />;
}

interface EditorProps {
  readonly article: Article | undefined;
  readonly title: string;
  /** The search that this answers: put aside when it is written. */
  readonly searchId: string | undefined;
}

function EditorPage({ article, title, searchId }: EditorProps) {
  const mayWrite = useMay()("knowledge.delete_search");
  const navigate = useNavigate();
  const state = useArticleDraft(article, title);
  const { draft, setDraft, isChanged, isBusy, problem, theirs } = state;
  const [hasDetails, setDetails] = useState(false);
  const change = (next: Partial<ArticleDraft>): void => setDraft((old) => ({ ...old, ...next }));
  const isReady = draft.title.trim() !== "" && draft.body.trim() !== "";
  const refusal = mayWrite
    ? isReady
      ? undefined
      : "It needs a title and a text."
    : "You may not write articles (knowledge:write).";
  const save = async (): Promise<void> => {
    const saved = await state.save();
    if (!saved) return;
    notify(`${saved.number} is saved`);
    if (searchId !== undefined)
      await call("knowledge.delete_search", { params: { id: searchId } }).catch(() => undefined);
    void navigate({ to: "/knowledge/$id", params: { id: saved.number } });
  };
  useActions([
    { keys: "mod+s", label: "Save", run: () => void save(), always: true, disabled: refusal },
    { label: "Details", run: () => setDetails(!hasDetails) },
  ]);
  return (
    <div className="page">
      <h1 className="hide">{article ? `Edit ${article.number}` : "New article"}</h1>
      <header className="page-head">
        {article ? (
          <Link
            className="btn bare icon"
            aria-label="The article"
            to="/knowledge/$id"
            params={{ id: article.number }}
          >
            <ArrowLeft />
          </Link>
        ) : (
          <Link className="btn bare icon" aria-label="Knowledge" to="/knowledge">
            <ArrowLeft />
          </Link>
        )}
        <span className="mono muted">{article?.number ?? "New article"}</span>
        {article && <State state={article.state} />}
        <span className="grow" />
        {isChanged && article && (
          <>
            <span className="muted kb-wide">Kept on this device</span>
            <Button look="bare" onClick={state.discard}>
              Start again
            </Button>
          </>
        )}
        <Button aria-pressed={hasDetails} onClick={() => setDetails(!hasDetails)}>
          Details
        </Button>
        <Button
          look="main"
          disabled={refusal !== undefined || isBusy || !isChanged}
          title={refusal}
          aria-keyshortcuts="Control+S"
          onClick={() => void save()}
        >
          Save
        </Button>
      </header>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {theirs && <Conflict theirs={theirs} draft={draft} onResolve={state.resolve} />}
      <TextInput
        isBare
        className="kb-edit-title"
        aria-label="Title"
        placeholder="Title: the question as people ask it"
        maxLength={300}
        autoFocus={draft.title === ""}
        value={draft.title}
        onChange={({ target }) => change({ title: target.value })}
      />
      {hasDetails && <DraftDetails draft={draft} onChange={change} />}
      <Halves draft={draft} onBody={(body) => change({ body })} />
    </div>
  );
}

/** The text beside what its readers will see; on a telephone one of both. */
function Halves(props: { readonly draft: ArticleDraft; readonly onBody: (body: string) => void }) {
  const { body } = props.draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const preview = useRef<HTMLDivElement>(null);
  const [isPreview, setPreview] = useState(false);
  const late = useDebounced(body, PREVIEW_PAUSE_MS);
  const { data, error } = useOp(
    "knowledge.preview",
    { body: { body: late } },
    { enabled: late.trim() !== "", staleTime: Infinity },
  );
  const follow = (share: number): void => {
    const box = preview.current;
    if (box) box.scrollTop = share * (box.scrollHeight - box.clientHeight);
  };
  return (
    <>
      <div className="tabs kb-half-tabs" role="group" aria-label="Which">
        <PlainButton aria-pressed={!isPreview} onClick={() => setPreview(false)}>
          Write
        </PlainButton>
        <PlainButton aria-pressed={isPreview} onClick={() => setPreview(true)}>
          Preview
        </PlainButton>
      </div>
      <div className={isPreview ? "kb-halves preview" : "kb-halves"}>
        <MarkdownField value={body} onChange={props.onBody} field={field} onScroll={follow} />
        <div
          ref={preview}
          className="scroll kb-preview"
          tabIndex={0}
          role="region"
          aria-label="Preview"
        >
          {error && <ErrorNotice error={error} />}
          {late.trim() === "" ? (
            <Empty title="As its readers will see it" />
          ) : (
            <ArticleBody html={data?.data.html ?? ""} />
          )}
        </div>
      </div>
    </>
  );
}

/** Somebody saved it meanwhile: both texts, and whose goes on. */
function Conflict(props: {
  readonly theirs: Article;
  readonly draft: ArticleDraft;
  readonly onResolve: (whose: "mine" | "theirs") => void;
}) {
  const { theirs, draft, onResolve } = props;
  return (
    <section className="kb-conflict" role="alert">
      <p>
        <b>Somebody saved version {theirs.version} meanwhile.</b> Nothing of yours was saved yet.
      </p>
      <Diff
        before={`${theirs.title}\n\n${theirs.body}`}
        after={`${draft.title}\n\n${draft.body}`}
        beforeLabel="Theirs"
        afterLabel="Yours"
      />
      <div className="kb-conflict-acts">
        <Button onClick={() => onResolve("theirs")}>Take theirs</Button>
        <Button onClick={() => onResolve("mine")}>Go on with mine</Button>
      </div>
    </section>
  );
}
