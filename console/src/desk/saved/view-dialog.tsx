import { QUEUE_VIEW_SHARED_WITH } from "@millrace/client/enums";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useTeams } from "../../data/names/names.ts";
import { useMay, useMe } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import type { SavedView } from "../queue/views.ts";
import type { SavedPart } from "./saved-view.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

const SHARED = QUEUE_VIEW_SHARED_WITH;
type Shared = (typeof SHARED)[number];
const WORDS: Readonly<Record<Shared, string>> = {
  nobody: "Only me",
  team: "A team of mine",
  everyone: "Everyone",
};

interface ViewDialogProps {
  /** The view that is changed; a new one where there is none. */
  readonly saved?: SavedView | undefined;
  /** What is saved with it; a change of name and readers leaves it. */
  readonly part?: SavedPart | undefined;
  /** What its rows tell. */
  readonly columns?: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Gives a view its name and those who see it. */
export function ViewDialog({ saved, part, columns, onClose, onSaved }: ViewDialogProps) {
  const may = useMay();
  const meId = useMe()?.user.id ?? "";
  const teams = useTeams();
  const own = teams.filter(({ memberIds }) => memberIds.includes(meId) || may("teams.update"));
  const [name, setName] = useState(saved?.name ?? "");
  const [sharedWith, setShared] = useState<Shared>(saved?.sharedWith ?? "nobody");
  const [teamId, setTeam] = useState(saved?.teamId ?? undefined);
  const [error, setError] = useState<string>();
  const isNameless = name.trim() === "";
  const submit = async (): Promise<void> => {
    if (isNameless) return setError("Give it a name.");
    const shared = {
      sharedWith,
      teamId: sharedWith === "team" ? (teamId ?? own[0]?.id ?? null) : null,
    };
    const body = {
      name: name.trim(),
      ...shared,
      ...(part && toBody(part)),
      ...(columns && { columns: [...columns] }),
    };
    try {
      const { data } = saved
        ? await call("views.update", { params: { id: saved.id }, body })
        : await call("views.create", { body });
      notify(`${data.name} is saved`);
      return onSaved(data.id);
    } catch (refused) {
      return setError(describeRefusal(refused));
    }
  };
  const footer = (
    <>
      <Button type="button" onClick={onClose}>
        Leave it
      </Button>
      <Button look="main">Save</Button>
    </>
  );
  return (
    <Dialog
      title={saved ? "Change the view" : "Save as a view"}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={footer}
    >
      <div className="act-form">
        <Field label="Name" error={error}>
          {(attributes) => (
            <TextInput
              {...attributes}
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="Who sees it?">
          {(attributes) => (
            <Select
              {...attributes}
              value={sharedWith}
              onChange={({ target }) => setShared(target.value as Shared)}
            >
              {SHARED.filter((one) => one !== "everyone" || may("teams.update")).map((one) => (
                <option key={one} value={one} disabled={one === "team" && own.length === 0}>
                  {WORDS[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {sharedWith === "team" && (
          <Field label="Team">
            {(attributes) => (
              <Select
                {...attributes}
                value={teamId ?? own[0]?.id ?? ""}
                onChange={({ target }) => setTeam(target.value)}
              >
                {own.map((team) => (
                  <option key={team.id} value={team.id}>
                    {team.name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}

const toBody = ({ filter, kinds, onlyOpen }: SavedPart) => ({
  filter,
  kinds: [...kinds],
  onlyOpen,
});
