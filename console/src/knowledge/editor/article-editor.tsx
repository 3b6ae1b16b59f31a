import "../knowledge.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useRef, useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { Diff } from "../../ui/display/diff.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { ArticleBody } from "../article/article-body.tsx";
import { DraftDetails } from "./draft-details.tsx";
import { MarkdownField } from "./markdown-field.tsx";
import { type ArticleDraft, draftOf, FORMAT } from "./article-draft.ts";
import type { FormConflict } from "../../ui/form/binding.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { FormProblems } from "../../ui/form/form-parts.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Article = Schemas["Article"];

const PREVIEW_PAUSE_MS = 300;

/** Creates an article, optionally to answer a search without results. */
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
  /** The search that the article answers; it is marked as done when the article is saved. */
  readonly searchId: string | undefined;
}

function EditorPage({ article, title, searchId }: EditorProps) {
  const navigate = useNavigate();
  const [hasDetails, setDetails] = useState(false);
  const input = { params: { id: article?.number ?? "" }, query: FORMAT };
  const form = useForm(article ? "knowledge.update" : "knowledge.create", {
    params: { id: article?.id ?? "" },
    initial: draftOf(article, title),
    version: article && versionOf("knowledge.get", input, ({ data }) => draftOf(data, "")),
    keptAs: `article.${article?.id ?? `new${title}`}`,
    check: ({ body }) => ({ body: body?.trim() ? undefined : "Enter the text of the article." }),
    said: ({ data }) => `${data.number} saved.`,
    onDone: ({ data }) => {
      if (searchId !== undefined)
        void call("knowledge.delete_search", { params: { id: searchId } }).catch(() => undefined);
      void navigate({ to: "/knowledge/$id", params: { id: data.number } });
    },
  });
  const own = form.values.title ?? "";
  const body = form.values.body ?? "";
  useActions([
    { keys: "mod+s", label: "Save", run: form.submit, always: true, disabled: form.refusal },
    { label: "Details", run: () => setDetails(!hasDetails) },
  ]);
  return (
    <div className="page">
      <h1 className="hide">{article ? `Edit ${article.number}` : "New article"}</h1>
      <header className="page-head">
        {article ? (
          <Link
            className="btn bare icon"
            aria-label="Article editor"
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
        {form.isDirty && article && (
          <>
            <span className="muted kb-wide">Saved on this device</span>
            <Button look="bare" onClick={form.reset}>
              Discard draft
            </Button>
          </>
        )}
        <Button aria-pressed={hasDetails} onClick={() => setDetails(!hasDetails)}>
          Details
        </Button>
        <CommandButton command={form} isMain aria-keyshortcuts="Control+S" onPress={form.submit}>
          Save article
        </CommandButton>
      </header>
      <FormProblems form={{ ...form, conflict: undefined }} />
      {form.conflict && <Conflict conflict={form.conflict} title={own} body={body} />}
      <TextInput
        isBare
        className="kb-edit-title"
        aria-label="Title"
        placeholder="Title, for example the question that users ask"
        maxLength={300}
        autoFocus={own === ""}
        value={own}
        onChange={({ target }) => form.change({ title: target.value })}
      />
      {hasDetails && <DraftDetails form={form} />}
      <Halves body={body} onBody={(next) => form.change({ body: next })} />
    </div>
  );
}

/** The text next to its preview; phones show one of them. */
function Halves(props: { readonly body: string; readonly onBody: (body: string) => void }) {
  const { body } = props;
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
      <div className="tabs kb-half-tabs" role="group" aria-label="View">
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
            <Empty title="Preview for readers" />
          ) : (
            <ArticleBody html={data?.data.html ?? ""} />
          )}
        </div>
      </div>
    </>
  );
}

interface ConflictProps {
  readonly conflict: FormConflict;
  readonly title: string;
  readonly body: string;
}

/** Another user saved in the meantime: shows both texts, and asks which one to continue with. */
function Conflict({ conflict, title, body }: ConflictProps) {
  const { title: theirTitle = "", body: theirBody = "" } = conflict.theirs as Partial<ArticleDraft>;
  return (
    <section className="kb-conflict" role="alert">
      <p>
        <b>Another user saved this article.</b> Your changes are not saved yet.
      </p>
      <Diff
        before={`${theirTitle}\n\n${theirBody}`}
        after={`${title}\n\n${body}`}
        beforeLabel="Their version"
        afterLabel="Your version"
      />
      <div className="kb-conflict-acts">
        <Button onClick={conflict.takeTheirs}>Use their version</Button>
        <Button onClick={conflict.keepMine}>Save my version</Button>
      </div>
    </section>
  );
}
