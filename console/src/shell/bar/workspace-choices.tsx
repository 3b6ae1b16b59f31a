import { Check, Plus } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { place, switchPlace } from "../../data/place.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";
import { notifyError } from "../../ui/toast.tsx";

/** The workspaces of the user, and a form that creates one. */
export function WorkspaceChoices({ onStay }: { readonly onStay: () => void }) {
  const may = useMay();
  const workspaces = useOp("workspaces.list", { query: { limit: 200 } }).data?.data ?? [];
  const names = workspaces.map(({ name }) => name);
  const [isNew, setNew] = useState(false);
  return (
    <ul className="menu-list">
      {workspaces.map(({ slug, name }) => (
        <li key={slug}>
          <PlainButton
            className="menu-item"
            aria-current={slug === place.workspace}
            onClick={() => (slug === place.workspace ? onStay() : switchPlace({ workspace: slug }))}
          >
            <Avatar name={name} />
            <span className="grow cut">{name}</span>
            {names.filter((one) => one === name).length > 1 && (
              <span className="muted cut">{slug}</span>
            )}
            {slug === place.workspace && <Check className="ico" />}
          </PlainButton>
        </li>
      ))}
      {may("workspaces:create") && (
        <li className="menu-apart">
          {isNew ? (
            <NewWorkspace />
          ) : (
            <PlainButton className="menu-item" onClick={() => setNew(true)}>
              <Plus className="ico" /> New workspace
            </PlainButton>
          )}
        </li>
      )}
    </ul>
  );
}

function NewWorkspace() {
  const [name, setName] = useState("");
  const create = async (): Promise<void> => {
    try {
      const { data } = await call("workspaces.create", { body: { name } });
      switchPlace({ workspace: data.slug });
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <form
      className="row menu-form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <TextInput
        className="grow"
        aria-label="Workspace name"
        placeholder="Name"
        autoFocus
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button look="main">Create</Button>
    </form>
  );
}
