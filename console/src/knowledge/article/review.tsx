/** The way of an article: draft, in review, published, retired. None of it is done before the server said so. */
import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextArea } from "../../ui/form/controls.tsx";

type Article = Schemas["Article"];

export type ReviewAct = "review" | "return" | "publish" | "withdraw" | "retire" | "reinstate";

const OFFERED: Readonly<Record<Article["state"], readonly ReviewAct[]>> = {
  draft: ["review", "publish"],
  in_review: ["publish", "return"],
  published: ["retire", "withdraw"],
  retired: ["reinstate"],
};

const WORDS = {
  review: {
    keys: "r",
    label: "Ask for a review",
    about: "Somebody reads it before everybody does.",
  },
  return: { keys: "b", label: "Send back", about: "It is a draft again; its owner reads why." },
  publish: {
    keys: "p",
    label: "Publish",
    about: "People find it from now on, in the portal, too.",
  },
  withdraw: {
    keys: "b",
    label: "Withdraw",
    about: "It is a draft again, and not found until it is published.",
  },
  retire: { keys: "x", label: "Retire", about: "It is kept, and no longer found." },
  reinstate: {
    keys: "p",
    label: "Reinstate",
    about: "It is published as it was, and found again.",
  },
} as const;

/** The acts that the article's state has, the likeliest first. */
export function useReviewActs(article: Article, onAct: (act: ReviewAct) => void) {
  return OFFERED[article.state].map((act) => ({
    keys: WORDS[act].keys,
    label: WORDS[act].label,
    run: () => onAct(act),
  }));
}

export function ReviewDialog(props: {
  readonly article: Article;
  readonly act: ReviewAct;
  readonly onClose: () => void;
}) {
  const { article, act, onClose } = props;
  const { label, about } = WORDS[act];
  const [reviewerId, setReviewer] = useState(article.reviewerId ?? undefined);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const perform = async (): Promise<void> => {
    setBusy(true);
    try {
      await performAct(article, act, { reviewerId: reviewerId ?? null, reason });
      notify(`${article.number} ${DONE[act]}`);
      onClose();
    } catch (error) {
      setProblem(describeRefusal(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`${label}: ${article.number}`}
      onClose={onClose}
      onSubmit={() => void perform()}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Not now
          </Button>
          <Button look="main" disabled={isBusy}>
            {label}
          </Button>
        </>
      }
    >
      <p className="muted">{about}</p>
      {act === "review" && (
        <Field label="Who reads it" help="They are told at once." isOptional>
          {({ id }) => (
            <PersonCombobox
              id={id}
              label="Who reads it"
              value={reviewerId}
              onChange={setReviewer}
              placeholder="Anybody who writes articles"
            />
          )}
        </Field>
      )}
      {act === "return" && (
        <Field label="What is to be better">
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={4}
              required
              maxLength={2_000}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

const DONE = {
  review: "is given to review",
  return: "is a draft again",
  publish: "is published",
  withdraw: "is a draft again",
  retire: "is retired",
  reinstate: "is published again",
} as const;

async function performAct(
  article: Article,
  act: ReviewAct,
  { reviewerId, reason }: { readonly reviewerId: string | null; readonly reason: string },
): Promise<void> {
  const params = { id: article.id };
  if (act === "return") await call("knowledge.return", { params, body: { reason } });
  else if (act === "publish") await call("knowledge.publish", { params });
  else if (act === "withdraw") await call("knowledge.withdraw", { params });
  else if (act === "retire") await call("knowledge.retire", { params });
  else if (act === "reinstate") await call("knowledge.reinstate", { params });
  else {
    if (reviewerId !== article.reviewerId)
      await call("knowledge.update", { params, body: { reviewerId } });
    await call("knowledge.submit_review", { params });
  }
}
