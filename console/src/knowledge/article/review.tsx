/** The workflow of an article: draft, in review, published, retired. Its actions are not shown optimistically. */
import { call, type Schemas } from "../../data/api.ts";
import { useAnyForm, useForm } from "../../data/form/use-form.ts";
import { PersonField } from "../../data/options/search-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";

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

/** Returns the actions of the article's state, the most likely first. */
export function useReviewActs(article: Article, onAct: (act: ReviewAct) => void) {
  return OFFERED[article.state].map((act) => ({
    keys: WORDS[act].keys,
    label: WORDS[act].label,
    run: () => onAct(act),
  }));
}

interface ReviewDialogProps {
  readonly article: Article;
  readonly act: ReviewAct;
  readonly onClose: () => void;
}

export function ReviewDialog(props: ReviewDialogProps) {
  if (props.act === "review") return <AskDialog {...props} />;
  return props.act === "return" ? <ReturnDialog {...props} /> : <ActDialog {...props} />;
}

/** Asks a reviewer to read an article before it is published. */
function AskDialog({ article, act, onClose }: ReviewDialogProps) {
  const params = { id: article.id };
  const form = useForm("knowledge.submit_review", {
    params,
    initial: { reviewerId: article.reviewerId },
    send: async ({ reviewerId }: { readonly reviewerId: string | null }) => {
      if (reviewerId !== article.reviewerId)
        await call("knowledge.update", { params, body: { reviewerId } });
      return call("knowledge.submit_review", { params });
    },
    said: `${article.number} ${DONE[act]}`,
    onDone: onClose,
  });
  const { label, about } = WORDS[act];
  return (
    <FormDialog form={form} title={`${label}: ${article.number}`} act={label} onClose={onClose}>
      <p className="muted">{about}</p>
      <PersonField
        {...form.field("reviewerId")}
        label="Who reads it"
        help="They are told at once."
        placeholder="Anybody who writes articles"
      />
    </FormDialog>
  );
}

/** Returns an article to its owner, with a reason. */
function ReturnDialog({ article, act, onClose }: ReviewDialogProps) {
  const form = useForm("knowledge.return", {
    params: { id: article.id },
    check: ({ reason }) => ({ reason: reason ? undefined : "Say what is to be better." }),
    said: `${article.number} ${DONE[act]}`,
    onDone: onClose,
  });
  const { label, about } = WORDS[act];
  return (
    <FormDialog form={form} title={`${label}: ${article.number}`} act={label} onClose={onClose}>
      <p className="muted">{about}</p>
      <TextAreaField {...form.field("reason")} label="What is to be better" isRequired />
    </FormDialog>
  );
}

function ActDialog({ article, act, onClose }: ReviewDialogProps) {
  const form = useAnyForm(`knowledge.${act === "review" ? "submit_review" : act}`, {
    params: { id: article.id },
    said: `${article.number} ${DONE[act]}`,
    onDone: onClose,
  });
  const { label, about } = WORDS[act];
  return (
    <FormDialog form={form} title={`${label}: ${article.number}`} act={label} onClose={onClose}>
      <p className="muted">{about}</p>
    </FormDialog>
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
