import { hoursFrom, observeDrift } from "#model/health/drift-watch";
import type { UsageHour } from "#model/health/tally";
import type { DriftWatch } from "#model/health/watch-state";
import { HOUR_MS } from "#model/usage";
import { chance, HABITS, type Habits, hourOfCalls } from "#test/support/watched-agent";

export const START = Date.UTC(2026, 10, 2);

/** Observes an agent hour by hour, as the hub does, with only the hours the hub would read. */
export class Course {
  readonly hours: UsageHour[] = [];
  drift: DriftWatch | null = null;
  now = START;

  constructor(private readonly random = chance(1)) {}

  look(profileVersion: number | null = 1): DriftWatch {
    const { now } = this;
    const read = this.hours.filter(({ hour }) => hour >= hoursFrom(this.drift, now) && hour <= now);
    this.drift = observeDrift(this.drift, { now, profileVersion, hours: read });
    return this.drift;
  }

  /** So many hours, with a look at the end of each; what was said after each. */
  run(hours: number, calls: number, habits: Habits = HABITS): string[] {
    return Array.from({ length: hours }, () => {
      this.hours.push(hourOfCalls(this.now, calls, habits, this.random));
      this.now += HOUR_MS;
      return this.look().status;
    });
  }

  static withBaseline(seed = 1): Course {
    const course = new Course(chance(seed));
    course.look();
    course.run(84, 12);
    return course;
  }
}

/** What is said, hour by hour, of agents that stay as they were. */
export const steadyAgents = (agents: number): string[] =>
  Array.from({ length: agents }, (_, seed) => Course.withBaseline(seed + 1).run(10 * 24, 12))
    .flat()
    .filter((status) => status !== "insufficient_data");
