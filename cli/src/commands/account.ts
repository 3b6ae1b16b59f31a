import { type Commands, connect } from "../command.ts";
import { login } from "../login.ts";

/** Commands for signing in and the current user. */
export const accountCommands: Commands = {
  login: {
    run: async ({ url, workspace, email }) => {
      const words = await login({ url, workspace, email });
      return { lines: [words], value: { message: words }, ok: true };
    },
  },
  whoami: {
    run: async (options) => {
      const { data } = await connect(options).auth.me();
      return { lines: [`${data.user.name} <${data.user.email}>`], value: data, ok: true };
    },
  },
};
