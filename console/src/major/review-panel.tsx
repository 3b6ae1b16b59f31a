import { useEffect, useRef, useState } from "react";
import { call, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { useRefusals } from "../data/people.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { State } from "../ui/state.tsx";
import { notify } from "../ui/toast.tsx";
import type { Room } from "./room-data.ts";
import { Button } from "../ui/form/button.tsx";
import { TextArea, TextInput } from "../ui/form/controls.tsx";

/** The review of an incident: drafted from its timeline the first time, an article from then on. */
export function ReviewPanel(props: {
  readonly incident: Room["incident"];
  readonly onClose: () => void;
}) {
  const { id, number } = props.incident;
  const kept = useOp("knowledge.list", { query: { tag: number.toLowerCase(), limit: 1 } });
  const article = kept.data?.data[0];
  const draft = useOp(
    "major_incidents.draft_review",
    { params: { id } },
    { enabled: kept.isSuccess && !article },
  );
  const whole = useOp(
    "knowledge.get",
    { params: { id: article?.id ?? "" } },
    { enabled: article !== undefined },
  ).data?.data;
  const error = kept.error ?? draft.error;
  const text = whole ?? draft.data?.data;
  return (
    <Dialog title={`Review of ${number}`} isWide onClose={props.onClose}>
      {error && <ErrorNotice error={error} />}
      {!text && !error && <Loading rows={8} />}
      {text && (
        <ReviewForm
          key={whole?.id ?? "draft"}
          articleId={whole?.id}
          state={whole?.state}
          title={text.title}
          body={text.body}
          tags={text.tags}
          onClose={props.onClose}
        />
      )}
    </Dialog>
  );
}

interface ReviewFormProps {
  readonly articleId: string | undefined;
  readonly state: string | undefined;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly onClose: () => void;
}

function ReviewForm({ articleId, state, tags, onClose, ...text }: ReviewFormProps) {
  const refusalOf = useRefusals();
  const [title, setTitle] = useState(text.title);
  const [body, setBody] = useState(text.body);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const why = refusalOf("knowledge.update");
  const save = async (): Promise<string> => {
    if (articleId !== undefined) {
      await call("knowledge.update", { params: { id: articleId }, body: { title, body } });
      return articleId;
    }
    return (await call("knowledge.create", { body: { title, body, tags: [...tags] } })).data.id;
  };
  const keep = async (isPublished: boolean): Promise<void> => {
    setBusy(true);
    try {
      const id = await save();
      if (isPublished) {
        if (state === undefined || state === "draft")
          await call("knowledge.submit_review", { params: { id } });
        await call("knowledge.publish", { params: { id } });
      }
      notify(isPublished ? "The review is published." : "The review is kept as a draft.");
      onClose();
    } catch (error) {
      notify(describeRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="review">
      <p className="row">
        {state === undefined ? (
          <span className="muted">
            Drafted from the timeline. Nothing is kept until you say so.
          </span>
        ) : (
          <State state={state} />
        )}
      </p>
      <Field label="Title">
        {(attributes) => (
          <TextInput
            {...attributes}
            value={title}
            onChange={({ target }) => setTitle(target.value)}
          />
        )}
      </Field>
      <Field
        label="Review"
        help="Markdown. Facts are from the log; questions in italics are yours to answer."
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            className="review-body"
            ref={field}
            rows={20}
            value={body}
            onChange={({ target }) => setBody(target.value)}
          />
        )}
      </Field>
      <div className="row">
        <span className="grow" />
        <Button
          type="button"
          disabled={why !== undefined || isBusy}
          title={why}
          onClick={() => void keep(false)}
        >
          Keep it
        </Button>
        {state !== "published" && (
          <Button
            look="main"
            type="button"
            disabled={why !== undefined || isBusy}
            title={why}
            onClick={() => void keep(true)}
          >
            Publish
          </Button>
        )}
      </div>
    </div>
  );
}
