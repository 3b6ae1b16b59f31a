import type { Schemas } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

const WORDS = {
  check: {
    title: "Check archive",
    act: "Check",
    about: "Reads the archive and shows what it contains. Nothing is imported.",
  },
  load: {
    title: "Import workspace",
    act: "Import",
    about:
      "After the import, members can read the workspace. Nothing runs and nothing is sent until you activate it.",
  },
} as const;

/** Asks for the archive passphrase and an optional new slug. */
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
          help="Required if the archive was exported with a passphrase."
          isRequired={needsPassphrase}
        />
      )}
      <TextField
        {...form.field("slug")}
        help="Name in addresses. Enter a new one if the original is already used here. Example: acme-support"
      />
    </FormDialog>
  );
}
