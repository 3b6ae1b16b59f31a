import type { Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

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

/** Asks for the input of a check or import: the archive's passphrase, and an optional new slug. */
export function ImportTaskDialog(props: {
  readonly one: Schemas["ArchiveImport"];
  readonly task: "check" | "load";
  readonly onClose: () => void;
}) {
  const { one, task, onClose } = props;
  const mayHaveSecrets = one.summary?.withSecrets !== false;
  const needsPassphrase = mayHaveSecrets && task === "load";
  const { title, act, about } = WORDS[task];
  const form = useForm(`archive_imports.${task}` as const, {
    params: { id: one.id },
    initial: { slug: one.slug ?? one.summary?.workspace.slug },
    check: ({ passphrase }) => ({
      passphrase:
        needsPassphrase && !passphrase ? "Enter the passphrase of the archive." : undefined,
    }),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={title} act={act} onClose={onClose}>
      <p>{about}</p>
      {mayHaveSecrets && (
        <TextField
          {...form.field("passphrase")}
          type="password"
          help="Of the archive, where it was made with one."
          isRequired={needsPassphrase}
        />
      )}
      <TextField
        {...form.field("slug")}
        help="In the place of the one that it had, where that is taken here."
      />
    </FormDialog>
  );
}
