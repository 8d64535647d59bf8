/** Names that programs give to numbers which are nobody's personal data. */
export const FIELD_NAMES: readonly string[] = (
  "id uid gid pid tid vid cid sid rid aid bid did eid fid mid nid oid qid xid uuid guid ref ref_id key row_id item_id " +
  "run_id runId run workflow_run job_id jobId job build build_id build_number buildNumber ci ci_build ci_run CI_JOB_ID " +
  "CI_PIPELINE_ID pipeline pipeline_id pipelineId workflow_id check_run check_suite step_id task taskId task_id ticket " +
  "ticket_id issue issue_number issueId pr pr_number pull_request commit_id revision rev version version_id seq sequence " +
  "sequence_number serial offset cursor page page_id post_id postId tweet_id status_id message_id messageId msg_id " +
  "thread_id threadId ts timestamp created_at updatedAt mtime ctime time epoch expires expires_at nonce block blockId " +
  "block_id chunk chunk_id shard shard_id partition segment object_id objectId inode device deviceId device_serial " +
  "order order_id orderId order_no order_number cart_id invoice invoice_id invoice_number shipment tracking tracking_id " +
  "tracking_number parcel sku asin ean upc isbn product_id productId variant_id listing_id inventory_id customer_id " +
  "customerId client clientId tenant tenant_id org orgId org_id team teamId team_id member member_count user user_id " +
  "userId author_id owner_id actor_id repo repo_id repository_id project projectId project_id installation_id app_id " +
  "appId ad_id adId adset_id campaign_id creative_id pixel_id audience_id account_id accountId act session sessionId " +
  "session_id request_id requestId trace_id traceId span_id spanId parent_id correlation_id event_id eventId hash " +
  "checksum crc size bytes length content_length count total amount price quantity score weight width height lat lng " +
  "x y z port code error_code exit_code status state flags mask bits rg cc nit cui cin fin ni bi rc ce cr tin pin sin " +
  "nas run_number cip sip tn kt ik vn fn ui moa kra dea ird pan epic merchant_ref batch batch_id lot lot_number model " +
  "model_no part_number asset_tag hostid cluster_id node_id nodeId pod_id container_id image_id snapshot_id volume_id " +
  "subnet_id vpc_id zone_id region_id channel channel_id channelId guild_id server_id chat_id chatId bot_id webhook_id"
).split(" ");
