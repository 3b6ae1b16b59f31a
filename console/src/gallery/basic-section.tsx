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
  "A name that somebody wrote in a hurry and that is much longer than anybody who drew this had in mind";
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
      <Sample title="State" about="One word, one colour, everywhere. What truly runs pulses.">
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
        about="In place; other parts of the screen stay."
        isWide
      >
        <Case label="Loading, after 150 ms">
          <Loading rows={3} />
        </Case>
        <Case label="Empty">
          <Empty title="No workflows yet" action={<Button look="main">New workflow</Button>}>
            A workflow does something whenever something happens.
          </Empty>
        </Case>
        <Case label="Error, in the server's words">
          <ErrorNotice
            error={{ message: "The database is not reachable.", requestId: "req_01m7jpzymc45" }}
            retry={() => notify("Tried again")}
          />
        </Case>
      </Sample>
      <Sample title="People, times, keys" about="Small parts that stand in every list.">
        <div className="sample-row">
          <Avatar name="Ada Lovelace" />
          <Avatar name="Mara" big />
          <Avatar name={undefined} />
          <Ago at={new Date(Date.now() - 6 * MINUTE_MS).toISOString()} />
          <Keys keys="mod+k" />
          <Keys keys="g i" />
        </div>
      </Sample>
      <Sample title="Line to copy" about="An address, a curl line, an id.">
        <CopyLine
          label="Address"
          text="https://flow.example.com/hooks/wf_01m7jpzymc45kmdb71jr1a8k1h"
        />
      </Sample>
      <Sample title="Toast" about="Says what happened, and the way back where there is one.">
        <div className="sample-row">
          <Button onClick={() => notify("Saved")}>Say it</Button>
          <Button onClick={() => notify("INC0000012 assigned to you", () => notify("Undone"))}>
            Say it with Undo
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
      about="Primary is ink, not brand. Hover darkens by 4 %, focus has a ring of water."
    >
      <Case label="Main, plain, bare, icon">
        <div className="sample-row">
          <Button look="main">
            <Play /> Run <Keys keys="r" />
          </Button>
          <Button>Save</Button>
          <Button look="bare">Cancel</Button>
          <Tooltip text="Delete the step" keys="Delete">
            <Button look="bare" isIcon aria-label="Delete the step">
              <Trash2 />
            </Button>
          </Tooltip>
        </div>
      </Case>
      <Case label="Disabled, with the reason; busy">
        <div className="sample-row">
          <Button look="main" disabled title="You may not deploy to production.">
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
    <Sample
      title="Field"
      about="For forms that are written by hand. Those of a schema are under Form."
    >
      <div className="sample-stack">
        <Field label="Name" help="As people will find it">
          {(attributes) => <TextInput {...attributes} defaultValue="Settle the day" />}
        </Field>
        <Field label="Note" isOptional>
          {(attributes) => <TextArea {...attributes} rows={2} placeholder="Why it is so" />}
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
    <Sample title="Tabs" about="Arrows, Home and End walk; one tab stop for all.">
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
        <p className="sample-panel cut">{chosen === "long" ? LONG : `The panel of ${chosen}`}</p>
      </Tabs>
    </Sample>
  );
}
