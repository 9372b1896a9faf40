/* The structures of the headers as C lays them out: abidw reads them out of this file's object. */
#include <broadloom.h>
#include <broadloom_cf.h>

extern const bl_piece layout_piece;
const bl_piece layout_piece;
extern const bl_range layout_range;
const bl_range layout_range;
extern const bl_extras layout_extras;
const bl_extras layout_extras;
extern const bl_job layout_job;
const bl_job layout_job;
extern const bl_scheme layout_scheme;
const bl_scheme layout_scheme;
extern const bl_compression layout_compression;
const bl_compression layout_compression;
extern const bl_number layout_number;
const bl_number layout_number;
extern const bl_key_parts layout_key_parts;
const bl_key_parts layout_key_parts;
extern const bl_transform layout_transform;
const bl_transform layout_transform;
extern const bl_queue_config layout_queue_config;
const bl_queue_config layout_queue_config;
extern const bl_workers_config layout_workers_config;
const bl_workers_config layout_workers_config;
extern const bl_stream_options layout_stream_options;
const bl_stream_options layout_stream_options;
extern const bl_packet layout_packet;
const bl_packet layout_packet;
extern const bl_flow_statistics layout_flow_statistics;
const bl_flow_statistics layout_flow_statistics;
extern const bl_esp_config layout_esp_config;
const bl_esp_config layout_esp_config;
extern const bl_srtp_key layout_srtp_key;
const bl_srtp_key layout_srtp_key;
extern const bl_srtp_config layout_srtp_config;
const bl_srtp_config layout_srtp_config;
extern const bl_quic_config layout_quic_config;
const bl_quic_config layout_quic_config;
extern const bl_quic_packet layout_quic_packet;
const bl_quic_packet layout_quic_packet;
extern const bl_record_keys layout_record_keys;
const bl_record_keys layout_record_keys;
extern const bl_records_config layout_records_config;
const bl_records_config layout_records_config;
extern const struct CfParams layout_params;
const struct CfParams layout_params;
