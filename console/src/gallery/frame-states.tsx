import { useState } from "react";
import { type FormFrame, freeField } from "../ui/form/binding.ts";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";
import { InlineForm } from "../ui/form/inline-form.tsx";
import { TextAreaField } from "../ui/form/text-field.tsx";
import { NoticeDialog } from "../ui/overlay/notice-dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { Case, Sample } from "./sample.tsx";

const FRAME: FormFrame = {
  isBusy: false,
  isDirty: false,
  isUnchanged: false,
  refusal: undefined,
  problems: [],
  conflict: undefined,
  failures: 0,
  submit: () => notify("Sent"),
  reset: () => undefined,
};
const REFUSAL = "You don’t have permission to change variables.";

/** The containers of forms, with a side panel. */
export function FrameStates() {
  const [isOpen, setOpen] = useState(false);
  const ready = { isBusy: false, refusal: undefined };
  return (
    <Sample
      title="InlineForm, CommandButton, NoticeDialog"
      about="A form within a page, a button for a command, and a dialog with a value that is shown once."
      isWide
    >
      <Case label="InlineForm">
        <CommentForm name="comment" form={FRAME} />
      </Case>
      <Case label="InlineForm, not allowed">
        <CommentForm name="refused-comment" form={{ ...FRAME, refusal: REFUSAL }} />
      </Case>
      <Case label="InlineForm, invalid">
        <CommentForm
          name="wrong-comment"
          form={{ ...FRAME, problems: ["The change has ended."] }}
        />
      </Case>
      <Case label="CommandButton: ready, busy, not allowed">
        <CommandButton command={ready} onPress={() => notify("Done")}>
          Check now
        </CommandButton>
        <CommandButton command={{ ...ready, isBusy: true }} onPress={() => undefined}>
          Check now
        </CommandButton>
        <CommandButton command={{ ...ready, refusal: REFUSAL }} onPress={() => undefined}>
          Check now
        </CommandButton>
      </Case>
      <Case label="NoticeDialog">
        <Button onClick={() => setOpen(true)}>Show token</Button>
        {isOpen && (
          <NoticeDialog title="Your token" act="Done" onClose={() => setOpen(false)}>
            <p>Save the token now. It is not shown again.</p>
          </NoticeDialog>
        )}
      </Case>
    </Sample>
  );
}

function CommentForm({ name, form }: { readonly name: string; readonly form: FormFrame }) {
  const [text, setText] = useState<string | null>();
  return (
    <InlineForm form={form} label={name} act="Send" keys="mod+Enter" isLine>
      <TextAreaField
        {...freeField<string>(name, text, (next) => setText(next ?? null))}
        label={name}
        hidesLabel
        rows={1}
        isDisabled={form.refusal !== undefined}
      />
    </InlineForm>
  );
}
