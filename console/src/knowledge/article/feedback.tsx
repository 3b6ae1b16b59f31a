import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { notify } from "../../ui/toast.tsx";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

/** One question below an article; who says no may say why. */
export function Feedback({ article }: { readonly article: Schemas["Article"] }) {
  const [isHelpful, setHelpful] = useState<boolean>();
  const [comment, setComment] = useState("");
  const send = async (helpful: boolean, words: string): Promise<void> => {
    try {
      const body = { helpful, comment: words };
      await call("knowledge.give_feedback", { params: { id: article.id }, body });
      setHelpful(helpful);
      if (words !== "") notify("Its authors read it");
    } catch (error) {
      notify(describeRefusal(error));
    }
  };
  return (
    <section className="kb-feedback" aria-label="Did this help?">
      <b>{isHelpful === undefined ? "Did this help?" : "Thank you."}</b>
      <Button aria-pressed={isHelpful === true} onClick={() => void send(true, "")}>
        <ThumbsUp /> Yes
      </Button>
      <Button aria-pressed={isHelpful === false} onClick={() => void send(false, "")}>
        <ThumbsDown /> No
      </Button>
      {isHelpful === false && (
        <form
          className="kb-why-not"
          onSubmit={(event) => {
            event.preventDefault();
            void send(false, comment.trim());
          }}
        >
          <TextInput
            aria-label="What is missing?"
            placeholder="What is missing?"
            maxLength={2_000}
            value={comment}
            onChange={({ target }) => setComment(target.value)}
          />
          <Button disabled={comment.trim() === ""}>Send</Button>
        </form>
      )}
    </section>
  );
}
