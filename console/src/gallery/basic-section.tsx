import { Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Avatar } from "../ui/avatar.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Keys } from "../ui/key.tsx";
import { State } from "../ui/state.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Ago } from "../ui/time.tsx";
import { notify } from "../ui/toast.tsx";
import { Tooltip } from "../ui/overlay/tooltip.tsx";
import { Case, Sample } from "./sample.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextArea, TextInput } from "../ui/form/controls.tsx";

const LONG =
  "A very long example name that does not fit into the available width of a column, a line or a button";
const STATES = [
  "running",
  "completed",
  "failed",
  "waiting",
  "paused",
  "queued",
  "pending",
  "cancelled",
];
const MINUTE_MS = 60_000;

export function BasicSection() {
  return (
    <>
      <Buttons />
      <Sample
        title="State"
        about="Each state has one word and one colour. The mark of a running state pulses."
      >
        <div className="sample-row">
          {STATES.map((state) => (
            <State key={state} state={state} />
          ))}
        </div>
      </Sample>
      <Fields />
      <TabSample />
      <Sample
        title="Loading, empty, error"
        about="Shown in place. Other parts of the screen do not move."
        isWide
      >
        <Case label="Loading, after 150 ms">
          <Loading rows={3} />
        </Case>
        <Case label="Empty">
          <Empty title="No workflows yet" action={<Button look="main">New workflow</Button>}>
            A workflow runs steps when an event occurs.
          </Empty>
        </Case>
        <Case label="Error with the message of the server">
          <ErrorNotice
            error={{ message: "The database is not reachable.", requestId: "req_01m7jpzymc45" }}
            retry={() => notify("Retried")}
          />
        </Case>
      </Sample>
      <Sample title="Avatars, times and keys" about="Small parts of lists.">
        <div className="sample-row">
          <Avatar name="Ada Lovelace" />
          <Avatar name="Mara" big />
          <Avatar name={undefined} />
          <Ago at={new Date(Date.now() - 6 * MINUTE_MS).toISOString()} />
          <Keys keys="mod+k" />
          <Keys keys="g i" />
        </div>
      </Sample>
      <Sample title="Copy line" about="For a URL, a curl command or an id.">
        <CopyLine
          label="Address"
          text="https://flow.example.com/hooks/wf_01m7jpzymc45kmdb71jr1a8k1h"
        />
      </Sample>
      <Sample title="Toast" about="Reports the result of an action, with Undo if available.">
        <div className="sample-row">
          <Button onClick={() => notify("Saved")}>Show toast</Button>
          <Button onClick={() => notify("INC0000012 assigned to you", () => notify("Undone"))}>
            Show toast with Undo
          </Button>
        </div>
      </Sample>
    </>
  );
}

function Buttons() {
  return (
    <Sample
      title="Button"
      about="The main button uses the text colour. Hover darkens by 4 %, focus has a ring."
    >
      <Case label="Main, plain, bare, icon">
        <div className="sample-row">
          <Button look="main">
            <Play /> Run <Keys keys="r" />
          </Button>
          <Button>Save</Button>
          <Button look="bare">Cancel</Button>
          <Tooltip text="Delete step" keys="Delete">
            <Button look="bare" isIcon aria-label="Delete step">
              <Trash2 />
            </Button>
          </Tooltip>
        </div>
      </Case>
      <Case label="Disabled, with the reason; busy">
        <div className="sample-row">
          <Button look="main" disabled title="You don’t have permission to deploy to production.">
            Deploy
          </Button>
          <Button disabled aria-busy="true">
            Saving…
          </Button>
        </div>
      </Case>
    </Sample>
  );
}

function Fields() {
  return (
    <Sample title="Field" about="For manual forms. See Schema form for generated ones.">
      <div className="sample-stack">
        <Field label="Name" help="Shown in lists and search results">
          {(attributes) => <TextInput {...attributes} defaultValue="Settle the day" />}
        </Field>
        <Field label="Note" isOptional>
          {(attributes) => (
            <TextArea {...attributes} rows={2} placeholder="Reason for this setting" />
          )}
        </Field>
        <Field label="Address" error="Address must begin with https://">
          {(attributes) => <TextInput {...attributes} defaultValue="ftp://example.com" />}
        </Field>
        <Field label="Disabled">
          {(attributes) => <TextInput {...attributes} disabled defaultValue="Not now" />}
        </Field>
      </div>
    </Sample>
  );
}

function TabSample() {
  const [chosen, setChosen] = useState<"settings" | "output" | "long">("settings");
  return (
    <Sample title="Tabs" about="Use the arrow keys, Home and End. All tabs are one tab stop.">
      <Tabs
        label="Sample"
        tabs={[
          { id: "settings", label: "Settings" },
          { id: "output", label: "Output", mark: <span className="muted">3</span> },
          { id: "long", label: "Long text" },
        ]}
        chosen={chosen}
        onChoose={setChosen}
        aside={<State state="completed" />}
      >
        <p className="sample-panel cut">{chosen === "long" ? LONG : `Panel ${chosen}`}</p>
      </Tabs>
    </Sample>
  );
}
