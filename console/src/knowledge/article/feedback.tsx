import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useCommand } from "../../data/use-command.ts";
import { Button } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

/** Asks readers whether the article helped; if not, they can say why. */
export function Feedback({ article }: { readonly article: Schemas["Article"] }) {
  const params = { id: article.id };
  const [isHelpful, setHelpful] = useState<boolean>();
  const give = useCommand("knowledge.give_feedback");
  const answer = async (helpful: boolean): Promise<void> => {
    if (await give.run({ params, body: { helpful, comment: "" } })) setHelpful(helpful);
  };
  const form = useForm("knowledge.give_feedback", {
    params,
    fixed: { helpful: false },
    check: ({ comment }) => ({ comment: comment ? undefined : "Describe what is missing." }),
    said: "Feedback sent to the authors.",
    startsOver: true,
  });
  return (
    <section className="kb-feedback" aria-label="Was this article helpful?">
      <b>{isHelpful === undefined ? "Was this article helpful?" : "Thanks for your feedback."}</b>
      <Button aria-pressed={isHelpful === true} onClick={() => void answer(true)}>
        <ThumbsUp /> Yes
      </Button>
      <Button aria-pressed={isHelpful === false} onClick={() => void answer(false)}>
        <ThumbsDown /> No
      </Button>
      {isHelpful === false && (
        <div className="kb-why-not">
          <InlineForm form={form} label="What is missing?" act="Send feedback" isLine>
            <TextField
              {...form.field("comment")}
              label="What is missing?"
              hidesLabel
              placeholder="What is missing?"
            />
          </InlineForm>
        </div>
      )}
    </section>
  );
}
