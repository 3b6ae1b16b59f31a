import { useState } from "react";
import { call } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify } from "../ui/toast.tsx";
import { count } from "../ui/words.ts";
import { resolveAll } from "./resolve-all.ts";
import type { Room } from "./room-data.ts";
import { Button } from "../ui/form/button.tsx";
import { CheckBox, TextArea } from "../ui/form/controls.tsx";

/** Resolves a major incident, and its reports with it where that is wanted. */
export function ResolveDialog({
  room,
  onClose,
}: {
  readonly room: Room;
  readonly onClose: () => void;
}) {
  const { incident, children } = room;
  const [resolution, setResolution] = useState("");
  const [isWhole, setWhole] = useState(true);
  const [done, setDone] = useState<number>();
  const submit = async (): Promise<void> => {
    const words = resolution.trim();
    try {
      setDone(0);
      await call("incidents.resolve", { params: { id: incident.id }, body: { resolution: words } });
      const left = isWhole ? await resolveAll(incident.id, words, setDone) : [];
      notify(
        left.length === 0
          ? `${incident.number} is resolved.`
          : `${incident.number} is resolved; ${left.join(", ")} could not be.`,
      );
      onClose();
    } catch (error) {
      notify(describeRefusal(error));
    } finally {
      setDone(undefined);
    }
  };
  return (
    <Dialog
      title={`Resolve ${incident.number}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <Button look="main" disabled={resolution.trim() === "" || done !== undefined}>
          {done === undefined ? "Resolve" : `${done} of ${children.open}`}
        </Button>
      }
    >
      <Field label="Description of the resolution">
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={4}
            required
            value={resolution}
            onChange={({ target }) => setResolution(target.value)}
          />
        )}
      </Field>
      {children.open > 0 && (
        <label className="row room-whole">
          <CheckBox checked={isWhole} onChange={({ target }) => setWhole(target.checked)} />
          And {count(children.open, "open report")} with it
        </label>
      )}
    </Dialog>
  );
}
