import { Copy, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Combobox, type ComboOption } from "../ui/overlay/combobox.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { Popover } from "../ui/overlay/popover.tsx";
import { notify } from "../ui/toast.tsx";
import { Case, Sample } from "./sample.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const CONNECTORS: readonly ComboOption[] = [
  { value: "con_1", label: "Office e-mail", about: "smtp.example.com", group: "smtp" },
  { value: "con_2", label: "Warehouse", about: "PostgreSQL 17, read-only", group: "postgres" },
  { value: "con_3", label: "Payments", about: "api.payments.example.com", group: "http" },
  {
    value: "con_4",
    label: "A connector with a very long name that does not fit into the list",
    group: "http",
  },
];

export function OverlaySection() {
  return (
    <>
      <Sample
        title="Combobox"
        about="Type to search, select with the arrow keys. Escape restores the previous value."
      >
        <ComboCases />
      </Sample>
      <Sample
        title="Menu"
        about="Actions for one item. Press a letter to go to the entry that starts with it."
      >
        <Case label="Click, or press ↓">
          <Menu
            label="Actions for step"
            align="start"
            items={[
              { label: "Rename", icon: <Pencil />, keys: "F2", onPick: () => notify("Rename") },
              {
                label: "Copy as JSON",
                icon: <Copy />,
                keys: "mod+c",
                onPick: () => notify("Copied"),
              },
              {
                label: "Deploy",
                disabled: "You don’t have permission to deploy.",
                onPick: () => undefined,
              },
              {
                label: "Delete",
                icon: <Trash2 />,
                keys: "Delete",
                isApart: true,
                isDangerous: true,
                onPick: () => notify("Deleted", () => undefined),
              },
            ]}
          >
            <Ellipsis />
          </Menu>
        </Case>
      </Sample>
      <DialogSample />
      <Sample title="Popover" about="A small form next to a button. Click outside to close it.">
        <Popover label="Filter" button="Filter">
          {(close) => (
            <div className="sample-stack">
              <Field label="Owner">{(attributes) => <TextInput {...attributes} />}</Field>
              <Button look="main" onClick={close}>
                Apply
              </Button>
            </div>
          )}
        </Popover>
      </Sample>
    </>
  );
}

function ComboCases() {
  const [value, setValue] = useState<string | undefined>("con_2");
  const [free, setFree] = useState<string | undefined>("incident.created");
  return (
    <div className="sample-stack">
      <Case label="Select from a list">
        <Combobox
          label="Connector"
          options={CONNECTORS}
          value={value}
          onChange={setValue}
          placeholder="Choose"
        />
      </Case>
      <Case label="Free text with suggestions">
        <Combobox
          label="Event type"
          isFree
          options={["incident.created", "incident.resolved", "change.approved"].map((name) => ({
            value: name,
            label: name,
          }))}
          value={free}
          onChange={setFree}
        />
      </Case>
      <Case label="Loading, none, disabled, invalid">
        <Combobox
          label="Loading"
          options={[]}
          isLoading
          value={undefined}
          onChange={() => undefined}
          placeholder="Loading"
        />
        <Combobox
          label="None"
          options={[]}
          value={undefined}
          onChange={() => undefined}
          placeholder="None"
        />
        <Combobox
          label="Disabled"
          options={CONNECTORS}
          isDisabled
          value="con_1"
          onChange={() => undefined}
        />
        <Combobox
          label="Invalid"
          options={CONNECTORS}
          isInvalid
          value="con_9"
          onChange={() => undefined}
        />
      </Case>
    </div>
  );
}

function DialogSample() {
  const [open, setOpen] = useState<"dialog" | "confirm">();
  const close = (): void => setOpen(undefined);
  return (
    <Sample
      title="Dialog"
      about="A native dialog. The focus stays in the dialog and returns to the button afterwards."
    >
      <div className="sample-row">
        <Button onClick={() => setOpen("dialog")}>Open dialog</Button>
        <Button onClick={() => setOpen("confirm")}>Open confirmation</Button>
      </div>
      {open === "dialog" && (
        <Dialog
          title="Name version"
          onClose={close}
          onSubmit={close}
          footer={
            <>
              <Button type="button" onClick={close}>
                Cancel
              </Button>
              <Button look="main">Save name</Button>
            </>
          }
        >
          <Field label="Label" help="Shown next to the version number">
            {(attributes) => <TextInput {...attributes} autoFocus />}
          </Field>
        </Dialog>
      )}
      {open === "confirm" && (
        <Confirm title="Delete 412 runs?" act="Delete 412 runs" onAct={close} onClose={close}>
          This can't be undone.
        </Confirm>
      )}
    </Sample>
  );
}
