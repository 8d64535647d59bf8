/** Variables by name, as the process was given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The one place where the environment is read; everybody else is handed what they need. */
export const processEnvironment = (): Environment => process.env;
