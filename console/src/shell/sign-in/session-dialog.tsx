import { useModal } from "../../ui/overlay/modal.ts";
import { cache } from "../../data/api.ts";
import { resumeLog } from "../../data/live/live.ts";
import { type Me } from "../../data/people.ts";
import { clearObstacle } from "../../data/session.ts";
import { CredentialForms } from "./credentials.tsx";
import "./sign-in.css";

/** Asks the user to sign in again in a dialog when the session expires, so that unsaved input is kept. */
export function SessionDialog({ me }: { readonly me: Me | undefined }) {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      className="session-dialog"
      aria-label="Your session expired"
      onCancel={(event) => event.preventDefault()}
    >
      <CredentialForms
        title="Sign in again to continue"
        returnTo={`${location.pathname}${location.search}`}
        email={me?.user.email ?? ""}
        onSession={({ user }) => {
          // The page still shows data of the previous user.
          if (me && user.id !== me.user.id) return location.reload();
          clearObstacle();
          resumeLog();
          void cache.invalidateQueries();
        }}
      />
    </dialog>
  );
}
