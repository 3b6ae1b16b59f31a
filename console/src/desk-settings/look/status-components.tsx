import { ArrowDown, ArrowUp, Pencil, Plus, X } from "lucide-react";
import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { applyChange, describeRefusal } from "../../data/change.ts";
import { ItemPicker } from "../../services/index.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { count } from "../../ui/words.ts";
import { LineField } from "../frame/editor-form.tsx";
import { Button } from "../../ui/form/button.tsx";

type Component = Schemas["ListedStatusComponent"];

/** What stands on the page, from top to bottom: each goes red with its configuration items. */
export function StatusComponents({ refusal }: { readonly refusal: string | undefined }) {
  const query = { limit: 100, sort: "position" };
  const components = useOp("status_components.list", { query }).data?.data ?? [];
  const [open, setOpen] = useState<Component | "new">();
  const move = (n: number, by: number): void => {
    const [one, other] = [components[n], components[n + by]];
    if (!one || !other) return;
    void applyChange({
      send: async () => {
        await set(one.id, { position: n + by });
        await set(other.id, { position: n });
      },
      said: `${one.name} is moved`,
    });
  };
  return (
    <section className="status-part" aria-label="What stands on it">
      <h2>What stands on it</h2>
      {components.length === 0 && (
        <p className="muted">Nothing yet: add what people know by name.</p>
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
              label={`Change ${component.name}`}
              disabled={refusal !== undefined}
              onClick={() => setOpen(component)}
            >
              <Pencil />
            </IconButton>
            <IconButton
              label={`Remove ${component.name}`}
              disabled={refusal !== undefined}
              onClick={() => void remove(component)}
            >
              <X />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button refusal={refusal} onClick={() => setOpen("new")}>
        <Plus /> Add a component
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

const set = (id: string, body: { readonly position: number }) =>
  call("status_components.update", { params: { id }, body });

async function remove({ id, name, about, position, ciIds }: Component): Promise<void> {
  await applyChange({
    send: async () => {
      await call("status_components.delete", { params: { id } });
    },
    said: `${name} is off the page`,
    undo: async () => {
      await call("status_components.create", { body: { name, about, position, ciIds } });
    },
  });
}

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
  const [name, setName] = useState(component?.name ?? "");
  const [about, setAbout] = useState(component?.about ?? "");
  const [ciIds, setItems] = useState<readonly string[]>(component?.ciIds ?? []);
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    const body = { name: name.trim(), about, ciIds: [...ciIds] };
    try {
      await (component
        ? call("status_components.update", { params: { id: component.id }, body })
        : call("status_components.create", { body: { ...body, position } }));
      onClose();
    } catch (refused) {
      setError(describeRefusal(refused));
    }
  };
  return (
    <Dialog
      title={component ? component.name : "New component"}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={<Button look="main">Save</Button>}
    >
      <div className="act-form">
        <LineField label="Name" value={name} onChange={setName} error={error} />
        <LineField label="About it" value={about} onChange={setAbout} isOptional />
        <Field label="Its configuration items" help="An outage of one of them is one of it">
          {({ id }) => (
            <ItemPicker
              id={id}
              label="Its configuration items"
              value={ciIds}
              onChange={setItems}
              placeholder="Find an item"
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
