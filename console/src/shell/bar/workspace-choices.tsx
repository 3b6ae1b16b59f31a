import { Check, Plus } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMay } from "../../data/people.ts";
import { place, switchPlace } from "../../data/place.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { TextField } from "../../ui/form/text-field.tsx";

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
  const form = useForm("workspaces.create", {
    onDone: ({ data }) => switchPlace({ workspace: data.slug }),
  });
  return (
    <div className="menu-form">
      <InlineForm form={form} label="New workspace" act="Create" isMain isLine>
        <TextField {...form.field("name")} label="Workspace name" hidesLabel isFocused />
      </InlineForm>
    </div>
  );
}
