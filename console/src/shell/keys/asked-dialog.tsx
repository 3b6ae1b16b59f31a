import { Confirm } from "../../ui/overlay/confirm.tsx";
import { endAsking, useAsked } from "./asked-action.ts";

/** Confirms an irreversible action. Escape and Enter cancel. */
export function AskedDialog() {
  const asked = useAsked();
  if (!asked) return null;
  return (
    <Confirm
      title={asked.title}
      act={asked.act}
      keep="Cancel"
      onAct={() => {
        endAsking();
        asked.run();
      }}
      onClose={endAsking}
    >
      <p>{asked.text}</p>
    </Confirm>
  );
}
