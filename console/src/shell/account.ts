/** Actions on the user's own account, available on every screen. */
import { call } from "../data/api.ts";
import { forgetPerson } from "../data/person-memory.ts";
import { BASE_PATH, forgetPlace } from "../data/place.ts";
import { announcePerson } from "../data/session.ts";
import { perform } from "../data/use-command.ts";

export async function signOut(): Promise<void> {
  const leave = (): void => {
    forgetPlace();
    forgetPerson();
    announcePerson(null);
    location.assign(`${BASE_PATH}/login`);
  };
  await perform("auth.logout", {}, { onDone: leave });
}

export async function markAllRead(): Promise<void> {
  await call("notifications.read_all");
}
