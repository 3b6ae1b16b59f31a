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
    label: "Submit for review",
    about: "A reviewer checks the article before it is published.",
  },
  return: {
    keys: "b",
    label: "Return to draft",
    about: "The article becomes a draft again. The owner receives your reason.",
  },
  publish: {
    keys: "p",
    label: "Publish",
    about: "The article becomes visible in search, including in the portal.",
  },
  withdraw: {
    keys: "b",
    label: "Unpublish",
    about: "The article becomes a draft again and is hidden from readers until you publish it.",
  },
  retire: {
    keys: "x",
    label: "Retire",
    about: "The article is kept, but readers can no longer find it.",
  },
  reinstate: {
    keys: "p",
    label: "Republish",
    about: "The article is published again without changes.",
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
        label="Reviewer"
        help="The reviewer is notified immediately."
        placeholder="Any knowledge author"
      />
    </FormDialog>
  );
}

/** Returns an article to its owner, with a reason. */
function ReturnDialog({ article, act, onClose }: ReviewDialogProps) {
  const form = useForm("knowledge.return", {
    params: { id: article.id },
    check: ({ reason }) => ({ reason: reason ? undefined : "Describe the requested changes." }),
    said: `${article.number} ${DONE[act]}`,
    onDone: onClose,
  });
  const { label, about } = WORDS[act];
  return (
    <FormDialog form={form} title={`${label}: ${article.number}`} act={label} onClose={onClose}>
      <p className="muted">{about}</p>
      <TextAreaField {...form.field("reason")} label="Requested changes" isRequired />
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
  review: "submitted for review.",
  return: "returned to draft.",
  publish: "published.",
  withdraw: "unpublished. It is a draft again.",
  retire: "retired.",
  reinstate: "republished.",
} as const;
