import { STATUS_NOTICE_STATUS } from "@millrace/client/enums";
import { choicesOf } from "../ui/form/choices.ts";
import { Send } from "lucide-react";
import { useState } from "react";
import { call, type Input, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { useMay, useRefusals } from "../data/people.ts";
import { Keys } from "../ui/key.tsx";
import { notify } from "../ui/toast.tsx";
import type { Room } from "./room-data.ts";
import { Button } from "../ui/form/button.tsx";
import { CheckBox, Select, TextArea, TextInput } from "../ui/form/controls.tsx";

const STATUSES = choicesOf(STATUS_NOTICE_STATUS, {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Monitoring",
  resolved: "Resolved",
});

/** A message to all who have to do with it, and word for word to the public where that is wanted. */
export function BroadcastBox({ room }: { readonly room: Room }) {
  const { incident, broadcasts } = room;
  const may = useMay();
  const refusalOf = useRefusals();
  const page = useOp("status_page.get", undefined, { enabled: may("status_page.get") }).data?.data;
  const last = broadcasts.find(({ statusPage }) => statusPage)?.statusPage;
  const [message, setMessage] = useState("");
  const [isPublic, setPublic] = useState(false);
  const [title, setTitle] = useState<string>();
  const [status, setStatus] = useState<(typeof STATUSES)[number][0]>();
  const [isDown, setDown] = useState<boolean>();
  const [chosen, setChosen] = useState<readonly string[]>();
  const [isBusy, setBusy] = useState(false);
  const why = refusalOf("incidents.broadcast");
  const send = async (): Promise<void> => {
    if (message.trim() === "" || isBusy || why !== undefined) return;
    const notice = {
      status: status ?? last?.status ?? "investigating",
      ...((title ?? "").trim() !== "" && { title: title?.trim() }),
      ...(isDown !== undefined && { effect: isDown ? "down" : "degraded" }),
      ...(chosen && { componentIds: chosen }),
    };
    const body = { message: message.trim(), ...(isPublic && { statusPage: notice }) };
    setBusy(true);
    try {
      await call("incidents.broadcast", {
        params: { id: incident.id },
        body,
      } as Input<"incidents.broadcast">);
      setMessage("");
      notify(isPublic ? "Told to all, and to the public." : "Told to all who have to do with it.");
    } catch (error) {
      notify(describeRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="broadcast"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextArea
        id="broadcast"
        rows={2}
        aria-label="Broadcast message"
        placeholder={why ?? "What is known, what is done, when the next word comes…"}
        disabled={why !== undefined}
        maxLength={5_000}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      {isPublic && (
        <PublicFields
          title={title ?? last?.title ?? ""}
          status={status ?? last?.status ?? "investigating"}
          isDown={isDown ?? last?.effect === "down"}
          chosen={chosen ?? last?.componentIds ?? []}
          onTitle={setTitle}
          onStatus={setStatus}
          onDown={setDown}
          onChoose={setChosen}
        />
      )}
      <div className="row">
        {page?.isOn === true && (
          <label className="row broadcast-public">
            <CheckBox checked={isPublic} onChange={({ target }) => setPublic(target.checked)} />
            Also on the status page
          </label>
        )}
        <span className="grow" />
        <Button
          look="main"
          disabled={why !== undefined || isBusy || message.trim() === ""}
          title={why}
        >
          <Send /> Broadcast <Keys keys="mod+Enter" />
        </Button>
      </div>
    </form>
  );
}

type Status = (typeof STATUSES)[number][0];

function PublicFields(props: {
  readonly title: string;
  readonly status: Status;
  readonly isDown: boolean;
  readonly chosen: readonly string[];
  readonly onTitle: (title: string) => void;
  readonly onStatus: (status: Status) => void;
  readonly onDown: (isDown: boolean) => void;
  readonly onChoose: (ids: readonly string[]) => void;
}) {
  const { chosen } = props;
  const components = useOp("status_components.list", { query: { limit: 100 } }).data?.data ?? [];
  return (
    <fieldset className="broadcast-fields">
      <legend>For the public</legend>
      <TextInput
        className="grow"
        aria-label="Title on the status page"
        placeholder="What it is called outside, as in: Card payments"
        maxLength={200}
        value={props.title}
        onChange={({ target }) => props.onTitle(target.value)}
      />
      <Select
        aria-label="Status"
        value={props.status}
        onChange={({ target }) => props.onStatus(target.value as Status)}
      >
        {STATUSES.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Effect"
        value={props.isDown ? "down" : "degraded"}
        onChange={({ target }) => props.onDown(target.value === "down")}
      >
        <option value="degraded">Degraded</option>
        <option value="down">Down</option>
      </Select>
      <div className="broadcast-components">
        {components.map(({ id, name }) => (
          <label key={id} className="row">
            <CheckBox
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                props.onChoose(
                  target.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                )
              }
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
