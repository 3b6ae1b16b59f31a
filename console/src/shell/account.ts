/** Actions on the user's own account, available on every screen. */
import { call } from "../data/api.ts";
import { forgetPerson } from "../data/person-memory.ts";
import { BASE_PATH, forgetPlace } from "../data/place.ts";
import { announcePerson } from "../data/session.ts";
import { notifyError } from "../ui/toast.tsx";

export async function signOut(): Promise<void> {
  try {
    await call("auth.logout");
    forgetPlace();
    forgetPerson();
    announcePerson(null);
    location.assign(`${BASE_PATH}/login`);
  } catch (error) {
    notifyError(error);
  }
}

export async function markAllRead(): Promise<void> {
  await call("notifications.read_all");
}
