import { useEffect, useRef } from "react";
import { call, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { State } from "../ui/state.tsx";
import { notify } from "../ui/toast.tsx";
import type { Room } from "./room-data.ts";

/** The review of an incident: drafted from its timeline, then an article. */
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
  if (!text) {
    return (
      <Dialog title={`Review of ${number}`} isWide onClose={props.onClose}>
        {error ? <ErrorNotice error={error} /> : <Loading rows={8} />}
      </Dialog>
    );
  }
  return (
    <ReviewForm
      key={whole?.id ?? "draft"}
      heading={`Review of ${number}`}
      articleId={whole?.id}
      state={whole?.state}
      text={text}
      onClose={props.onClose}
    />
  );
}

interface ReviewFormProps {
  readonly heading: string;
  readonly articleId: string | undefined;
  readonly state: string | undefined;
  readonly text: {
    readonly title: string;
    readonly body: string;
    readonly tags: readonly string[];
  };
  readonly onClose: () => void;
}

function ReviewForm({ heading, articleId, state, text, onClose }: ReviewFormProps) {
  const { title, body, tags } = text;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const form = useForm(articleId === undefined ? "knowledge.create" : "knowledge.update", {
    params: { id: articleId ?? "" },
    initial: { title, body, tags },
  });
  const keep = (): void =>
    form.submitThen(async () => {
      notify("Review saved as draft.");
      onClose();
    });
  const publish = (): void =>
    form.submitThen(async (reply) => {
      const params = { id: reply?.data.id ?? articleId ?? "" };
      if (state === undefined || state === "draft")
        await call("knowledge.submit_review", { params });
      await call("knowledge.publish", { params });
      notify("Review published.");
      onClose();
    });
  const isPublished = state === "published";
  return (
    <FormDialog
      form={{ ...form, isUnchanged: false, submit: isPublished ? keep : publish }}
      title={heading}
      act={isPublished ? "Save draft" : "Publish"}
      isWide
      onClose={onClose}
      others={
        !isPublished && (
          <CommandButton command={form} onPress={keep}>
            {" "}
            Save draft{" "}
          </CommandButton>
        )
      }
    >
      {state === undefined ? (
        <p className="muted">This draft was generated from the timeline. It is not saved yet.</p>
      ) : (
        <State state={state} />
      )}
      <TextField {...form.field("title")} />
      <TextAreaField
        {...form.field("body")}
        label="Review"
        help="Markdown. The facts come from the event log. Answer the questions in italics."
        areaRef={field}
        rows={20}
        isMono
      />
    </FormDialog>
  );
}
