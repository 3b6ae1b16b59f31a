import { ArrowDown, ArrowUp, Pencil, Plus, X } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { revisionOf } from "../../data/form/version.ts";
import { perform } from "../../data/use-command.ts";
import { ItemPicker } from "../../services/index.ts";
import { Button } from "../../ui/form/button.tsx";
import { FieldFrame, framed } from "../../ui/form/field-frame.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { count } from "../../ui/words.ts";

type Component = Schemas["ListedStatusComponent"];

/** The components of the status page from top to bottom; each turns red with its configuration items. */
export function StatusComponents({ refusal }: { readonly refusal: string | undefined }) {
  const query = { limit: 100, sort: "position" };
  const components = useOp("status_components.list", { query }).data?.data ?? [];
  const [open, setOpen] = useState<Component | "new">();
  const move = (n: number, by: number): void => {
    const [one, other] = [components[n], components[n + by]];
    if (!one || !other) return;
    void perform("status_components.update", place(one, n + by)).then(
      (moved) =>
        moved &&
        perform("status_components.update", place(other, n), { said: `${one.name} moved` }),
    );
  };
  return (
    <section className="status-part" aria-label="Components">
      <h2>Components</h2>
      {components.length === 0 && (
        <p className="muted">
          No components yet. Add the services that users know, such as E-mail or VPN.
        </p>
      )}
      <ul>
        {components.map((component, n) => (
          <li key={component.id} className="component-line">
            <span className="grow">
              <strong>{component.name}</strong>{" "}
              <span className="muted">
                {component.about || count(component.ciIds.length, "configuration item")}
              </span>
            </span>
            <IconButton
              label={`Move ${component.name} up`}
              disabled={refusal !== undefined || n === 0}
              onClick={() => move(n, -1)}
            >
              <ArrowUp />
            </IconButton>
            <IconButton
              label={`Move ${component.name} down`}
              disabled={refusal !== undefined || n === components.length - 1}
              onClick={() => move(n, 1)}
            >
              <ArrowDown />
            </IconButton>
            <IconButton
              label={`Edit ${component.name}`}
              disabled={refusal !== undefined}
              onClick={() => setOpen(component)}
            >
              <Pencil />
            </IconButton>
            <IconButton
              label={`Remove ${component.name}`}
              disabled={refusal !== undefined}
              onClick={() => remove(component)}
            >
              <X />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button refusal={refusal} onClick={() => setOpen("new")}>
        <Plus /> Add component
      </Button>
      {open !== undefined && (
        <ComponentDialog
          component={open === "new" ? undefined : open}
          position={components.length}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}

const place = ({ id }: Component, position: number) => ({ params: { id }, body: { position } });

const remove = ({ id, name, about, position, ciIds }: Component): void =>
  void perform(
    "status_components.delete",
    { params: { id } },
    {
      said: `${name} removed from the status page`,
      undo: () => call("status_components.create", { body: { name, about, position, ciIds } }),
    },
  );

interface IconButtonProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function IconButton({ label, disabled, onClick, children }: IconButtonProps) {
  return (
    <Button look="bare" isIcon isSmall aria-label={label} {...{ disabled, onClick }}>
      {children}
    </Button>
  );
}

interface ComponentDialogProps {
  readonly component: Component | undefined;
  readonly position: number;
  readonly onClose: () => void;
}

function ComponentDialog({ component, position, onClose }: ComponentDialogProps) {
  const form = useForm(component ? "status_components.update" : "status_components.create", {
    params: { id: component?.id ?? "" },
    initial: component ?? { position, ciIds: [] },
    version: revisionOf(component),
    onDone: onClose,
  });
  const items = form.field("ciIds");
  return (
    <FormDialog form={form} title={component?.name ?? "New component"} onClose={onClose}>
      <TextField {...form.field("name")} />
      <TextField {...form.field("about")} label="Description" />
      <FieldFrame
        field={framed({
          ...items,
          label: "Configuration items",
          help: "The component is down when one of these items is down.",
        })}
      >
        {({ id }, label) => (
          <ItemPicker
            id={id}
            label={label}
            value={items.value ?? []}
            onChange={(ciIds) => form.change({ ciIds: [...ciIds] })}
            placeholder="Search configuration items"
          />
        )}
      </FieldFrame>
    </FormDialog>
  );
}
