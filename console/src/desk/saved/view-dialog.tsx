import { QUEUE_VIEW_SHARED_WITH } from "@millrace/client/enums";
import { useForm } from "../../data/form/use-form.ts";
import { useTeams } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import type { SavedView } from "../queue/views.ts";
import type { SavedPart } from "./saved-view.ts";

const SHARED = choicesOf(QUEUE_VIEW_SHARED_WITH, {
  nobody: "Only me",
  team: "A team",
  everyone: "Everyone",
});

interface ViewDialogProps {
  /** The view to edit; undefined creates a new one. */
  readonly saved?: SavedView | undefined;
  /** The filter to save; undefined keeps it when only the name or the audience changes. */
  readonly part?: SavedPart | undefined;
  /** The displayed columns. */
  readonly columns?: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Edits the name and audience of a saved view. */
export function ViewDialog({ saved, part, columns, onClose, onSaved }: ViewDialogProps) {
  const may = useMay();
  const meId = useMe()?.user.id ?? "";
  const teams = useTeams();
  const own = teams.filter(({ memberIds }) => memberIds.includes(meId) || may("teams.update"));
  const form = useForm(saved ? "views.update" : "views.create", {
    params: { id: saved?.id ?? "" },
    initial: saved
      ? { name: saved.name, sharedWith: saved.sharedWith, teamId: saved.teamId }
      : { sharedWith: "nobody" },
    ...((part || columns) && {
      fixed: { ...(part && toBody(part)), ...(columns && { columns: [...columns] }) },
    }),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => onSaved(data.id),
  });
  const { sharedWith } = form.values;
  const shared = SHARED.filter(
    ([one]) => (one !== "everyone" || may("teams.update")) && (one !== "team" || own.length > 0),
  );
  return (
    <FormDialog form={form} title={saved ? "Edit view" : "Save as view"} onClose={onClose}>
      <TextField {...form.field("name")} />
      <SelectField
        {...form.field("sharedWith")}
        label="Shared with"
        isRequired
        options={shared}
        onChange={(next) =>
          form.change({ sharedWith: next, teamId: next === "team" ? (own[0]?.id ?? null) : null })
        }
      />
      {sharedWith === "team" && (
        <SelectField
          {...form.field("teamId")}
          label="Team"
          isRequired
          options={own.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </FormDialog>
  );
}

const toBody = ({ filter, kinds, onlyOpen }: SavedPart) => ({
  filter,
  kinds: [...kinds],
  onlyOpen,
});
