import { useState } from "react";
import { call, type Schemas } from "../data/api.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { Field, PassphraseField } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Refusal } from "../ui/feedback.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const WORDS = {
  check: {
    title: "Check the archive",
    act: "Check",
    about: "All of it is read and nothing is written. It says then what is in it.",
  },
  load: {
    title: "Load the workspace",
    act: "Load",
    about:
      "It is shown when all of it is here and was verified: its people can read it, and nothing runs or is sent.",
  },
} as const;

/** What a check and a load need to know: the passphrase of the archive, and another slug. */
export function ImportTaskDialog(props: {
  readonly one: Schemas["ArchiveImport"];
  readonly task: "check" | "load";
  readonly onClose: () => void;
}) {
  const { one, task, onClose } = props;
  const [passphrase, setPassphrase] = useState("");
  const [slug, setSlug] = useState(one.slug ?? one.summary?.workspace.slug ?? "");
  const { problem, isBusy, attempt } = useAttempt();
  const { title, act, about } = WORDS[task];
  const perform = async (): Promise<void> => {
    const body = {
      ...(passphrase !== "" && { passphrase }),
      ...(slug !== "" && { slug }),
    };
    await call(`archive_imports.${task}`, { params: { id: one.id }, body });
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void attempt(perform)}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Leave it
          </Button>
          <Button look="main" disabled={isBusy}>
            {act}
          </Button>
        </>
      }
    >
      <p>{about}</p>
      {one.summary?.withSecrets !== false && (
        <PassphraseField
          help="Of the archive, where it was made with one."
          isRequired={task === "load"}
          value={passphrase}
          onChange={setPassphrase}
        />
      )}
      <Field
        label="Slug"
        isOptional
        help="In the place of the one that it had, where that is taken here."
      >
        {(bound) => (
          <TextInput
            {...bound}
            maxLength={63}
            pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
            value={slug}
            onChange={({ target }) => setSlug(target.value)}
          />
        )}
      </Field>
      <Refusal reason={problem} />
    </Dialog>
  );
}
